import type { InputIssues } from '../errors/input-issues.ts';
import type { RequestScope } from './request-scope.ts';

/** draft-ietf-httpapi-idempotency-key-header leaves the bounds to the server. */
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Returns the `Idempotency-Key` header, unchecked; null if the request has none. */
export function idempotencyKeyHeader({ req }: RequestScope): string | null {
  const header = req.headers['idempotency-key'];
  return header === undefined ? null : String(header);
}

export function checkIdempotencyKey(key: string, issues: InputIssues): void {
  if (!IDEMPOTENCY_KEY.test(key)) {
    issues.add('Idempotency-Key', 'Must have 1 to 255 printable ASCII characters.');
  }
}

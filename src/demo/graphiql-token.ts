import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Models } from '../database/models.ts';
import { createSharedQuota } from '../limits/shared-quota.ts';

/** Exceeds the lifetime of any process that knows the token. Milliseconds. */
const TOKEN_LIFETIME_MS = 365 * 24 * 3_600_000;

/** Returns the token of the printed address that opens GraphiQL with the demo keys. */
export const newGraphiQLToken = (): string => randomBytes(16).toString('base64url');

const digest = (text: string) => hash('sha256', text, 'buffer');

/** Returns a function that accepts the token once, in any process of the service. */
export function graphiqlTokenUse(models: Pick<Models, 'QuotaWindow'>, token: string) {
  const uses = createSharedQuota(models.QuotaWindow, { requests: 1, windowMs: TOKEN_LIFETIME_MS });
  const expected = digest(token);
  return async (given: string): Promise<boolean> =>
    timingSafeEqual(digest(given), expected) &&
    (await uses.take(`graphiql:${expected.toString('hex')}`, 1)).granted;
}

import { preflightHeaders } from '../cors.ts';
import type { RequestScope } from '../request-scope.ts';
import { supportedMethods } from './routing-errors.ts';
import { DATA_HEADERS } from './security-headers.ts';
import { sendEmpty } from './send-response.ts';

/**
 * Responds to OPTIONS, a CORS preflight included. Requires no key: a preflight has none.
 * @param handlers methods with a handler
 */
export function sendOptions(scope: RequestScope, handlers: Iterable<string>): void {
  const methods = supportedMethods(handlers);
  scope.isServed = true;
  sendEmpty(scope, {
    status: 204,
    headers: [...DATA_HEADERS, 'Allow', methods.join(', '), ...preflightHeaders(scope, methods)],
  });
}

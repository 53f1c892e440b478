import { preflightHeaders } from '../cors.ts';
import type { Exchange } from '../exchange.ts';
import { supportedMethods } from './routing-errors.ts';
import { DATA_HEADERS } from './security-headers.ts';
import { sendEmpty } from './send-response.ts';

/**
 * Responds to OPTIONS, a CORS preflight included. Requires no key: a preflight has none.
 * @param handlers methods with a handler
 */
export function sendOptions(exchange: Exchange, handlers: Iterable<string>): void {
  const methods = supportedMethods(handlers);
  exchange.isServed = true;
  sendEmpty(exchange, {
    status: 204,
    headers: [...DATA_HEADERS, 'Allow', methods.join(', '), ...preflightHeaders(exchange, methods)],
  });
}

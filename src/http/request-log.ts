import type { Logger } from '../platform/logger.ts';
import type { Exchange } from './exchange.ts';

/** What is counted of an answer; no tenant, address or id in it (contract 2, METRICS). */
export interface AnswerSummary {
  method: string;
  /** Pattern of the route, `unmatched` where there is none. */
  route: string;
  status: number;
  /** Until the answer was complete, or an endless one began. */
  seconds: number;
}

/** Methods as labels: what anybody may send must not become one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Writes one line for a finished answer: `debug` for a success, `info` for a refusal, `warn` for a failure of our own.
 * Patterns instead of addresses, and neither keys nor bodies.
 */
export function logAnswer(x: Exchange, log: Logger): AnswerSummary {
  const { requestId, route, customerId, res } = x;
  const milliseconds = performance.now() - x.startedAt;
  const status = res.statusCode;
  const method = METHODS.has(x.method) ? x.method : 'other';
  const level = status >= 500 ? 'warn' : status >= 400 ? 'info' : 'debug';
  if (log.isLevelEnabled(level)) {
    const line = {
      requestId,
      method,
      route,
      status,
      durationMs: Math.round(milliseconds * 10) / 10,
      customerId,
    };
    // The client went away before it had all of the answer.
    log[level](res.writableFinished ? line : { ...line, aborted: true }, 'answered');
  }
  const counted = x.streamingSince === undefined ? milliseconds : x.streamingSince - x.startedAt;
  return { method, route, status, seconds: counted / 1000 };
}

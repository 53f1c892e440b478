import type { Exchange } from './exchange.ts';
import { sendOptions } from './response/options-response.ts';
import { methodNotAllowed } from './response/routing-errors.ts';

const METHODS = ['GET', 'POST', 'DELETE'] as const;

type Handler = (exchange: Exchange) => void | Promise<void>;
/** Handlers of one path by method. */
export type MethodHandlers = Partial<Record<(typeof METHODS)[number], Handler>>;

/** Passes a request to the handler of its method. @throws AppError METHOD_NOT_ALLOWED */
export async function handleMethod(
  exchange: Exchange,
  handlers: MethodHandlers,
  route = exchange.path,
): Promise<void> {
  exchange.route = route;
  const { handlerMethod } = exchange;
  if (handlerMethod === 'OPTIONS') return sendOptions(exchange, Object.keys(handlers));
  const method = METHODS.find((name) => name === handlerMethod);
  const handler = method && handlers[method];
  if (!handler) throw methodNotAllowed(Object.keys(handlers));
  exchange.isServed = true;
  return handler(exchange);
}

import type { RequestScope } from './request-scope.ts';
import { sendOptions } from './response/options-response.ts';
import { methodNotAllowed } from './response/routing-errors.ts';

const METHODS = ['GET', 'POST', 'DELETE'] as const;

type Handler = (scope: RequestScope) => void | Promise<void>;
/** Handlers of one path by method. */
export type MethodHandlers = Partial<Record<(typeof METHODS)[number], Handler>>;

/** Passes a request to the handler of its method. @throws AppError METHOD_NOT_ALLOWED */
export async function handleMethod(
  scope: RequestScope,
  handlers: MethodHandlers,
  route = scope.path,
): Promise<void> {
  scope.route = route;
  const { handlerMethod } = scope;
  if (handlerMethod === 'OPTIONS') return sendOptions(scope, Object.keys(handlers));
  const method = METHODS.find((name) => name === handlerMethod);
  const handler = method && handlers[method];
  if (!handler) throw methodNotAllowed(Object.keys(handlers));
  scope.isServed = true;
  return handler(scope);
}

import { AppError } from '../../errors/app-error.ts';

/** 404 for a path without a resource. */
export const noSuchPath = (): AppError => new AppError('NOT_FOUND', 'No resource exists at this path.');

/** 404 for an id in the path that no resource has or can have. */
export const noSuchId = (): AppError => new AppError('NOT_FOUND', 'The resource does not exist.');

/** Returns the methods that a path supports, from the methods of its handlers. */
export const supportedMethods = (handlers: Iterable<string>): string[] => [
  ...[...handlers].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  'OPTIONS',
];

/** @param handlers methods with a handler */
export const methodNotAllowed = (handlers: Iterable<string>): AppError =>
  new AppError(
    'METHOD_NOT_ALLOWED',
    'This path does not support the request method; see the Allow header for the supported methods.',
    { allow: supportedMethods(handlers) },
  );

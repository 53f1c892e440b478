import { AppError } from '../src/errors/app-error.ts';

/**
 * Translates the paths in a service's error details into paths of a field's arguments. A service knows its own names
 * only, and the same input is `conversationId` on one surface and `conversation_id` on another.
 *
 * @param paths argument path by the service's name, e.g. `{ url: 'input.url' }`; paths within the value follow it
 */
export async function withArgumentPaths<T>(
  result: Promise<T>,
  paths: Readonly<Record<string, string>>,
): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    const argumentPath = (path: string): string => {
      const [name = '', ...rest] = path.split('.');
      return [paths[name] ?? name, ...rest].join('.');
    };
    const details = error.details.map(({ path, message }) => ({ path: argumentPath(path), message }));
    throw new AppError(error.code, error.message, { details, cause: error.cause });
  }
}

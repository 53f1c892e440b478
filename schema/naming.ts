import { AppError } from '../src/errors.ts';

/**
 * Names what a service found wrong with its input as the caller of a field writes it: a service knows its own words
 * only, and the same input is `conversationId` here and `conversation_id` there.
 *
 * @param names a service's word for something, and its path in the field's arguments
 */
export async function named<T>(result: Promise<T>, names: Readonly<Record<string, string>>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    const details = error.details.map(({ path, message }) => ({ path: names[path] ?? path, message }));
    throw new AppError(error.code, error.message, { details, cause: error.cause });
  }
}

import { AppError } from '../../errors/app-error.ts';

/** Returns the error of a command that cannot write a file. */
export const notWritable = (path: string, error: NodeJS.ErrnoException): AppError =>
  new AppError('BAD_REQUEST', `Cannot write ${path}: ${error.code ?? error.message}.`, { cause: error });

import { AppError } from '../../errors/app-error.ts';

/** Returns the error of a command that cannot read a file. */
export const notReadable = (path: string, error: NodeJS.ErrnoException): AppError => {
  const reason = error.code === 'ENOENT' ? 'no such file' : (error.code ?? error.message);
  return new AppError('BAD_REQUEST', `Cannot read ${path}: ${reason}.`, { cause: error });
};

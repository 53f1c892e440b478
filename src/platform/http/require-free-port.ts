import { createServer } from 'node:net';
import { AppError } from '../../errors/app-error.ts';

interface PortOptions {
  host: string;
  /** 0, for any free port, is always accepted. */
  port: number;
  /** Setting that selects the port: a variable or an option. */
  setting: string;
}

/**
 * Checks that a port can be opened, before work that takes longer and would be lost.
 *
 * @throws AppError `CONFLICT` if another process listens there
 */
export async function requireFreePort({ host, port, setting }: PortOptions): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen({ host, port }, resolve),
  ).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new AppError('CONFLICT', `Port ${port} is in use; set ${setting}.`, { cause: error });
    throw error;
  });
  await new Promise((resolve) => server.close(resolve));
}

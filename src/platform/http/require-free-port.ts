import { createServer } from 'node:net';
import { AppError } from '../../errors/app-error.ts';

interface PortOptions {
  host: string;
  /** 0 (any free port) always passes. */
  port: number;
  /** Variable or option that selects the port, for the error message. */
  setting: string;
}

/**
 * Checks that a port can be opened, before slow work that a later failure would waste.
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

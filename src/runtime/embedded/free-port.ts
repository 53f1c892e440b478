import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports that operating systems do not assign to outgoing connections: Linux begins at 32768, macOS and Windows at
 * 49152. A port of theirs can be taken by any connection before the caller listens on it.
 */
const PORTS = { from: 10_000, to: 32_768 };

/** Returns a free port on loopback. Another process may take it before the caller does; the caller then retries. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.from, PORTS.to);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  server.close();
  await once(server, 'close');
  return port;
}

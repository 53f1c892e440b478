import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports below the ephemeral ranges of operating systems (Linux from 32768, macOS and Windows from 49152): any outgoing
 * connection could take an ephemeral port before the caller listens on it.
 */
const PORTS = { from: 10_000, to: 32_768 };

/** Returns a free port on loopback. Another process may take it before the caller listens; the caller then retries. */
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

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a server on 127.0.0.1. @param port 0 for any free port */
export async function listenOnLoopback(server: Server, port: number) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Closes the server and its open connections. */
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

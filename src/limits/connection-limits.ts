import type { Server } from 'node:http';
import type { Config } from '../config/config.ts';
import { networkOf, parseAddress, type trustedBy } from '../http/access/client-address.ts';
import { createKeyedCounter } from '../platform/keyed-counter.ts';

/** The limit that a connection exceeded: that of the process or that of its peer's address. */
export type ConnectionLimit = 'process' | 'address';

interface ConnectionLimitOptions {
  limits: Pick<Config, 'httpMaxConnections' | 'httpMaxConnectionsPerAddress'>;
  isTrustedProxy: ReturnType<typeof trustedBy>;
  onRefused(limit: ConnectionLimit): void;
}

/** Closes connections beyond the limits before anything is read from them. */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const { limits, isTrustedProxy, onRefused } = options;
  const connections = createKeyedCounter();
  server.maxConnections = limits.httpMaxConnections;
  server.on('drop', () => onRefused('process'));
  server.on('connection', (socket) => {
    const address = parseAddress(socket.remoteAddress);
    // A proxy forwards the requests of many clients.
    if (address && isTrustedProxy(address)) return;
    const close = connections.open(networkOf(address), limits.httpMaxConnectionsPerAddress);
    if (close) socket.once('close', close);
    else {
      onRefused('address');
      socket.resetAndDestroy();
    }
  });
}

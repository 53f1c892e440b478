import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createKeyedCounter } from '../platform/keyed-counter.ts';

/** The limit that a connection exceeded: the limit of the process, or of its peer's address. */
export type ConnectionLimit = 'process' | 'address';

interface ConnectionLimitOptions {
  limits: { httpMaxConnections: number; httpMaxConnectionsPerAddress: number };
  /** Returns the network of a peer; null for a trusted proxy, which forwards the requests of many clients. */
  networkOf(socket: Socket): string | null;
  onRefused(limit: ConnectionLimit): void;
}

/** Closes connections beyond the limits before anything is read from them. */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const { limits, networkOf, onRefused } = options;
  const connections = createKeyedCounter();
  server.maxConnections = limits.httpMaxConnections;
  server.on('drop', () => onRefused('process'));
  server.on('connection', (socket) => {
    const network = networkOf(socket);
    if (network === null) return;
    const close = connections.open(network, limits.httpMaxConnectionsPerAddress);
    if (close) socket.once('close', close);
    else {
      onRefused('address');
      socket.resetAndDestroy();
    }
  });
}

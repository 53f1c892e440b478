import type { Server } from 'node:http';
import type { Config } from '../config.ts';
import { networkOf } from './client-network.ts';

/** The limit that a connection exceeded: that of the process or that of its peer's address. */
export type ConnectionLimit = 'process' | 'address';

interface ConnectionLimitOptions {
  limits: Pick<Config, 'httpMaxConnections' | 'httpMaxConnectionsPerAddress'>;
  onRefused(limit: ConnectionLimit): void;
}

/** Closes connections beyond the limits before anything is read from them. */
export function limitConnections(server: Server, { limits, onRefused }: ConnectionLimitOptions): void {
  const connections = new Map<string, number>();
  server.maxConnections = limits.httpMaxConnections;
  server.on('drop', () => onRefused('process'));
  server.on('connection', (socket) => {
    // The peer of the socket, whatever its headers say. A trusted proxy, whose connections are those of many clients,
    // is to be exempt here.
    const network = networkOf(socket.remoteAddress);
    const count = (connections.get(network) ?? 0) + 1;
    if (count > limits.httpMaxConnectionsPerAddress) {
      onRefused('address');
      socket.resetAndDestroy();
      return;
    }
    connections.set(network, count);
    socket.once('close', () => {
      const left = (connections.get(network) ?? 1) - 1;
      if (left === 0) connections.delete(network);
      else connections.set(network, left);
    });
  });
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Time without progress after which a connection with unsent data is closed (contract 4). */
export const WRITE_TIMEOUT_MS = 30_000;
/** Checks without progress after which a connection is stalled. */
const CHECKS = 6;

interface Progress {
  /** Bytes that the operating system has accepted. */
  sentBytes: number;
  /** Consecutive checks without progress; counted, since a blocked event loop must not count as a stalled client. */
  stalledChecks: number;
}

interface StalledWriteOptions {
  timeoutMs: number;
  onStalled(): void;
}

/**
 * Closes connections whose client does not read: unsent data is held in memory for as long as the connection is open.
 * A socket timeout does not detect this, because data from the client restarts it.
 */
export function closeStalledWrites(server: Server, { timeoutMs, onStalled }: StalledWriteOptions): void {
  const sockets = new Set<Socket>();
  const progress = new WeakMap<Socket, Progress>();

  function check(socket: Socket): void {
    if (socket.writableLength === 0) {
      progress.delete(socket);
      return;
    }
    const sentBytes = socket.bytesWritten - socket.writableLength;
    const last = progress.get(socket);
    if (!last || sentBytes > last.sentBytes) {
      progress.set(socket, { sentBytes, stalledChecks: 0 });
      return;
    }
    last.stalledChecks += 1;
    if (last.stalledChecks < CHECKS) return;
    onStalled();
    // A reset, so that the operating system discards its unsent data as well.
    socket.resetAndDestroy();
  }

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(() => sockets.forEach(check), timeoutMs / CHECKS).unref();
  server.once('close', () => clearInterval(timer));
}

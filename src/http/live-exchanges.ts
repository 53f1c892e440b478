import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Exchange } from './exchange.ts';

/** Tracks requests in flight, so that the server can stop without aborting one. */
export function trackExchanges(server: Server) {
  const live = new Set<Exchange>();
  let stopping = false;

  return {
    add(exchange: Exchange): void {
      live.add(exchange);
      if (stopping) exchange.stop();
    },
    remove(exchange: Exchange): void {
      live.delete(exchange);
      // The connection may have been kept alive for another request.
      if (stopping) setImmediate(() => server.closeIdleConnections());
    },
    /** Returns true if a response on the connection has begun. */
    hasBegun: (socket: Duplex): boolean =>
      live.values().some(({ res }: { res: ServerResponse }) => res.socket === socket && res.headersSent),

    /** Stops accepting connections, ends streams, completes other requests; closes remaining connections after `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      if (stopping || !server.listening) return;
      stopping = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const exchange of live) exchange.stop();
      server.closeIdleConnections();
      const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}

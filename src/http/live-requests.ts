import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestScope } from './request-scope.ts';

/** Tracks requests in flight, so that the server can stop without aborting one. */
export function trackRequests(server: Server) {
  const live = new Set<RequestScope>();
  let stopping = false;

  return {
    add(scope: RequestScope): void {
      live.add(scope);
      if (stopping) scope.stop();
    },
    remove(scope: RequestScope): void {
      live.delete(scope);
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
      for (const scope of live) scope.stop();
      server.closeIdleConnections();
      const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}

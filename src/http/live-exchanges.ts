import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Exchange } from './exchange.ts';
import { DATA_HEADERS } from './response/security-headers.ts';

/** Knows every request under way, so that a server can stop without cutting one off. */
export function trackExchanges(server: Server) {
  const live = new Set<Exchange>();
  let stopping = false;

  return {
    add(x: Exchange): void {
      live.add(x);
      if (stopping) x.stop();
    },
    remove(x: Exchange): void {
      live.delete(x);
      // Its connection may have been kept for another request that will not come.
      if (stopping) setImmediate(() => server.closeIdleConnections());
    },
    /** Whether an answer on that connection has begun. */
    hasBegun: (socket: Duplex): boolean =>
      live.values().some(({ res }: { res: ServerResponse }) => res.socket === socket && res.headersSent),

    /** Accepts nothing more, ends endless answers, finishes the others; after `graceMs` cuts off what is left. */
    async stop(graceMs: number): Promise<void> {
      if (stopping || !server.listening) return;
      stopping = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const x of live) x.stop();
      server.closeIdleConnections();
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}

const STATUS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers what is not even HTTP in the shape of every other error; written by hand, since there is no request. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = JSON.stringify({
    error: { code: 'BAD_REQUEST', message: 'The request could not be read.', requestId },
  });
  const headers = [
    ...DATA_HEADERS,
    'Content-Type',
    'application/json; charset=utf-8',
    'X-Request-Id',
    requestId,
  ];
  const lines = headers.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  socket.end(
    `HTTP/1.1 ${STATUS[error.code ?? ''] ?? '400 Bad Request'}\r\n${lines}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

import type { IncomingMessage, ServerResponse } from 'node:http';

/** Maximum time for discarding the rest of a request body. */
const LINGER_MS = 2_000;

interface EarlyResponse {
  req: IncomingMessage;
  res: ServerResponse;
  status: number;
  /** Alternating names and values. */
  headers: readonly string[];
  body: string;
  /** Maximum number of bytes of the request body to discard before the connection is closed. */
  maxDiscardBytes: number;
}

/** Responds while the request body is still arriving, then closes the connection. See `discardBody`. */
export function respondAndLinger({ req, res, status, headers, body, maxDiscardBytes }: EarlyResponse): void {
  res.writeHead(status, [
    ...headers,
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Connection',
    'close',
  ]);
  res.write(body);
  void discardBody(req, maxDiscardBytes).then(() => res.end());
}

/**
 * Discards the rest of a request body, until its end, for at most two seconds. The response to it ends afterwards: an
 * immediate close resets the connection, and a client that is still sending never reads the response (RFC 9112
 * section 9.6).
 */
export function discardBody(req: IncomingMessage, maxBytes: number): Promise<void> {
  return new Promise((resolve) => {
    let remainingBytes = maxBytes;
    const finish = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(finish, LINGER_MS);
    req.on('data', (chunk: Buffer) => {
      remainingBytes -= chunk.length;
      if (remainingBytes < 0) finish();
    });
    req.once('end', finish).once('close', finish).resume();
  });
}

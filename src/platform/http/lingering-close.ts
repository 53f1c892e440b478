import type { IncomingMessage, ServerResponse } from 'node:http';

/** Time after which the rest of a request body is no longer discarded. */
const LINGER_MS = 2_000;

interface EarlyResponse {
  req: IncomingMessage;
  res: ServerResponse;
  status: number;
  /** Alternating names and values. */
  headers: readonly string[];
  body: string;
  /** Bytes of the request body that are discarded before the connection is closed. */
  maxDiscardBytes: number;
}

/**
 * Responds while the request body is still arriving, discards the rest of that body, then closes the connection. An
 * immediate close resets the connection, and a client that is still sending never reads the response (RFC 9112
 * section 9.6).
 */
export function respondAndLinger({ req, res, status, headers, body, maxDiscardBytes }: EarlyResponse): void {
  res.writeHead(status, [
    ...headers,
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Connection',
    'close',
  ]);
  res.write(body);
  let remainingBytes = maxDiscardBytes;
  const finish = () => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  req.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.length;
    if (remainingBytes < 0) finish();
  });
  req.once('end', finish).once('close', finish).resume();
}

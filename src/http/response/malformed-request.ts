import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { JSON_HEADERS } from './security-headers.ts';

const STATUS_LINES: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/**
 * Responds to bytes that are not a valid HTTP request, in the format of all other errors, and closes the connection.
 * Written to the socket, since Node creates no response object for such a request.
 */
export function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = JSON.stringify({
    error: { code: 'BAD_REQUEST', message: 'The HTTP request is malformed or incomplete.', requestId },
  });
  const headers = [
    ...JSON_HEADERS,
    'X-Request-Id',
    requestId,
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Connection',
    'close',
  ];
  const lines = headers.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  socket.end(`HTTP/1.1 ${STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'}\r\n${lines}\r\n${body}`);
}

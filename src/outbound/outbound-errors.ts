import { errors } from 'undici';

/** Failures of the operator's proxy; they imply nothing about the target. */
export const PROXY_ERRORS = [
  'proxy_refused',
  /** The name of the proxy does not resolve, or there is no route to it. */
  'proxy_unreachable',
  /** The proxy accepted no connection in time, or answered neither this request nor any other meanwhile. */
  'proxy_timeout',
  /** The proxy closed the connection before it answered. */
  'proxy_closed',
  /** HTTP 407. */
  'proxy_authentication',
  /** The proxy answered with another status, or not with valid HTTP. */
  'proxy_response',
] as const;
export type ProxyErrorCode = (typeof PROXY_ERRORS)[number];

/** Reason why there was no complete response; a delivery reports it as its `error` (contract 5). */
export type OutboundErrorCode =
  | ProxyErrorCode
  /** Timed out in the DNS lookup, the connection, the TLS handshake, or before the response was complete. */
  | 'timeout'
  | 'connection_refused'
  /** The receiver closed the connection before the response was complete; also a kept-alive connection. */
  | 'connection_reset'
  /** The name has no address, or the resolver failed; only where private targets are allowed. */
  | 'dns'
  /** No trusted TLS connection: the certificate, the name in it, or the handshake. */
  | 'tls'
  /** The target is, or resolves to, an address that tenants must not reach, or its name does not resolve. */
  | 'blocked_address'
  /** The port is blocked (`WEBHOOK_BLOCKED_PORTS`). */
  | 'blocked_port'
  /** The response is not valid HTTP/1.1, or its headers are too large. */
  | 'http_protocol'
  /** Ended by the caller's signal or by `close()`; implies nothing about the receiver. */
  | 'aborted'
  /** Any other error, such as an unreachable network. */
  | 'network';

/** An error whose code is already known. */
export class OutboundError extends Error {
  readonly outboundCode: OutboundErrorCode;

  constructor(outboundCode: OutboundErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OutboundError';
    this.outboundCode = outboundCode;
  }
}

/** @param error code of a request, or null */
export const isProxyError = (error: string | null): error is ProxyErrorCode =>
  error?.startsWith('proxy_') === true;

/** Codes by the `code` of system errors (errno) and of undici errors. */
const BY_CODE = new Map<string, OutboundErrorCode>([
  ['ECONNREFUSED', 'connection_refused'],
  ['ECONNRESET', 'connection_reset'],
  ['ECONNABORTED', 'connection_reset'],
  ['EPIPE', 'connection_reset'],
  ['ETIMEDOUT', 'timeout'],
  ['EPROTO', 'tls'],
  ['UND_ERR_CLOSED', 'aborted'],
  ['UND_ERR_DESTROYED', 'aborted'],
  ['UND_ERR_HEADERS_OVERFLOW', 'http_protocol'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'http_protocol'],
]);

/** Maps the error that ended a request to its short code. */
export function outboundErrorCode(error: unknown): OutboundErrorCode {
  if (error instanceof OutboundError) return error.outboundCode;
  if (error instanceof errors.HTTPParserError) return 'http_protocol';
  if (!(error instanceof Error) || !('code' in error)) return 'network';
  const code = String(error.code);
  // OpenSSL codes arrive with alerts after the handshake, which is when TLS 1.3 rejects a client.
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls';
  // undici uses one code for a closed socket and for an unsolicited response; only the message differs.
  if (code === 'UND_ERR_SOCKET')
    return error.message.includes('closed') ? 'connection_reset' : 'http_protocol';
  return BY_CODE.get(code) ?? 'network';
}

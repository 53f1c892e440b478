import { errors } from 'undici';

/** Why a request got no complete response; the short codes of a delivery's `error` (contract 5). */
export type OutboundErrorCode =
  /** The time ran out: in the look-up, connecting, in the TLS handshake, or before the response was complete. */
  | 'timeout'
  | 'connection_refused'
  /** The other side closed the connection before the response was complete, a kept-alive one too. */
  | 'connection_reset'
  /** The name has no address, or the resolver failed. */
  | 'dns'
  /** No trusted TLS connection: the certificate, the name in it, or the handshake itself. */
  | 'tls'
  /** The target is, or resolves to, what tenants may not reach. */
  | 'blocked_address'
  /** What came back is not a valid HTTP/1.1 response, or its headers are too large. */
  | 'http_protocol'
  /** The caller's signal, or `close()`: says nothing about the receiver. */
  | 'aborted'
  /** Anything else, an unreachable network for one. */
  | 'network';

/** Ends an attempt with a code that is known already. */
export class OutboundError extends Error {
  readonly outboundCode: OutboundErrorCode;

  constructor(outboundCode: OutboundErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OutboundError';
    this.outboundCode = outboundCode;
  }
}

/** `code` of system errors (errno) and of undici's. */
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

/** Maps whatever ended an attempt to its short code. */
export function outboundErrorCode(error: unknown): OutboundErrorCode {
  if (error instanceof OutboundError) return error.outboundCode;
  if (error instanceof errors.HTTPParserError) return 'http_protocol';
  if (!(error instanceof Error) || !('code' in error)) return 'network';
  const code = String(error.code);
  // OpenSSL's own codes are for alerts that come after the handshake: TLS 1.3 refuses a client only then.
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls';
  // undici has one code for a closed socket and for responses that nobody asked for; only the text differs.
  if (code === 'UND_ERR_SOCKET')
    return error.message.includes('closed') ? 'connection_reset' : 'http_protocol';
  return BY_CODE.get(code) ?? 'network';
}

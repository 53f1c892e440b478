import { STATUSES_WITH_RETRY_AFTER } from '../../../../shared/delivery-attempts.ts';

/** Explanation of a delivery error for the operator of the receiver. */
interface ErrorDescription {
  title: string;
  /** Cause and next step. */
  advice: string;
}

/** By error code of an attempt; codes of HTTP statuses have their own table. */
const DESCRIPTIONS: Record<string, ErrorDescription> = {
  timeout: {
    title: 'Timed out',
    advice:
      'The receiver did not send a complete response within the delivery timeout. Respond with a 2xx status first and process the event asynchronously.',
  },
  connection_refused: {
    title: 'Connection refused',
    advice:
      'Nothing is listening on this address and port, or a firewall rejects connections. Check that the receiver is running and reachable from the internet.',
  },
  connection_reset: {
    title: 'Connection reset',
    advice:
      'The receiver or a proxy in front of it closed the connection before the response was complete, usually because of a crash or a restart. Check its log.',
  },
  dns: {
    title: 'Host name not resolved',
    advice:
      'The host name has no address, or its name server did not respond. Check the spelling and the DNS records.',
  },
  tls: {
    title: 'TLS error',
    advice:
      'The certificate is expired, issued for another name or not signed by a trusted authority, or the TLS handshake failed. Install a valid certificate with the full chain.',
  },
  blocked_address: {
    title: 'No public address',
    advice:
      'The host name does not resolve, or it resolves to a private, local or reserved address. Events are sent to public addresses only. Check the spelling and the DNS records.',
  },
  blocked_port: {
    title: 'Blocked port',
    advice:
      'The port of the URL belongs to a protocol other than HTTP or to a database. Use a URL with the port of an HTTPS server, usually 443.',
  },
  http_protocol: {
    title: 'Invalid HTTP response',
    advice:
      'The response is not valid HTTP/1.1, or its headers are too large. Check that an HTTP server is listening on this port.',
  },
  aborted: {
    title: 'Attempt aborted',
    advice: 'The service shut down during the attempt. This does not indicate a problem with the receiver.',
  },
  mtls_unreadable: {
    title: 'Client certificate unreadable',
    advice:
      'The stored client certificate or its key cannot be used for TLS. Set the authentication of the endpoint again.',
  },
  payload_unreadable: {
    title: 'Payload unreadable',
    advice:
      'The stored payload of the event was modified or moved, and cannot be decrypted, so it was not sent. The operator of the service can restore the event from a backup and resend the delivery.',
  },
  oauth_timeout: {
    title: 'Token server timed out',
    advice:
      'The token server did not answer within the time of the attempt. Check that it is running and reachable from the internet.',
  },
  oauth_refused: {
    title: 'Token refused',
    advice:
      'The token server refused the client or the request. Check client ID, client secret, scope and audience in the authentication of the endpoint.',
  },
  oauth_redirect: {
    title: 'Token server redirected',
    advice:
      'The token server redirected the request. Redirects are not followed; set the target as the token URL of the endpoint.',
  },
  oauth_bad_response: {
    title: 'Invalid token response',
    advice:
      'The token server did not answer with the JSON of a bearer token of at most 64 KiB. Check the token URL of the endpoint.',
  },
  network: {
    title: 'Network error',
    advice:
      'The receiver is not reachable over the network. It may be offline, or a network route may be down.',
  },
};

const PROXY_FAILURE: ErrorDescription = {
  title: 'Outbound proxy of the service failed',
  advice:
    'The request did not reach the receiver, and no attempt was counted. The delivery is sent as soon as the proxy works; its operator has to act.',
};

const TOKEN_ADVICE =
  'Check the token URL in the authentication of the endpoint, and the log of the token server.';

const HTTP_ADVICE: Record<number, string> = {
  400: 'The receiver could not parse the request. Check its log; it must accept JSON with the signature headers.',
  401: 'The receiver requires credentials. Verify the signature instead, or set a header or an authentication of the endpoint.',
  403: 'The receiver or a firewall in front of it denied the request. Allow the request and verify its signature.',
  404: 'The receiver has no route for this path. Check the URL of the endpoint.',
  405: 'The receiver does not accept POST requests on this path. Check the URL of the endpoint.',
  408: 'The receiver timed out while reading the request. It may be overloaded.',
  410: 'The receiver no longer accepts events (410 Gone), so the endpoint was disabled.',
  413: 'The receiver does not accept a body of this size. Raise its limit.',
  415: 'The receiver does not accept JSON. Deliveries are sent as application/json.',
  429: 'The receiver rate-limits requests.',
  502: 'A proxy in front of the receiver could not connect to it. Check that the receiver is running.',
  503: 'The receiver is overloaded or under maintenance.',
  504: 'A proxy in front of the receiver timed out. Respond with a 2xx status first and process the event asynchronously.',
};

function httpAdvice(status: number, hasNextAttempt: boolean): string {
  const known = HTTP_ADVICE[status];
  if (known && hasNextAttempt && STATUSES_WITH_RETRY_AFTER.includes(status))
    return `${known} Scheduled retries honor its Retry-After header within limits.`;
  if (known) return known;
  if (status < 400)
    return 'The receiver redirected the request. Redirects are not followed; use the target URL.';
  if (status < 500) return 'The receiver rejected the request. Check its log for the reason.';
  return 'The receiver failed to process the request. Check its log for the cause.';
}

interface DescribedAttempt {
  /** True if another attempt of the delivery is scheduled or in progress. */
  hasNextAttempt?: boolean;
}

/** Describes an error code of an attempt; an unknown code is its own title. */
export function describeError(
  code: string,
  { hasNextAttempt = false }: DescribedAttempt = {},
): ErrorDescription {
  const known = DESCRIPTIONS[code];
  if (known) return known;
  if (code.startsWith('proxy_')) return PROXY_FAILURE;
  const cause = /^oauth_(.+)$/.exec(code)?.[1];
  if (cause) {
    const { title } = describeError(cause);
    return {
      title: `Token server: ${title}`,
      advice: `The request for a token failed before the delivery was sent. ${TOKEN_ADVICE}`,
    };
  }
  const status = Number(/^http_(\d{3})$/.exec(code)?.[1]);
  if (status) return { title: `HTTP ${status}`, advice: httpAdvice(status, hasNextAttempt) };
  return {
    title: code,
    advice: 'The attempt failed with an error code that the console does not recognize.',
  };
}

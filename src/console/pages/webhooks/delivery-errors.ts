/** What went wrong in an attempt, for the person who has to mend it. */
interface Failure {
  /** In a few words. */
  title: string;
  /** What it means, and what to do about it. */
  advice: string;
}

/** The short codes of a delivery's `error`, but for those of HTTP statuses. */
const FAILURES: Record<string, Failure> = {
  timeout: {
    title: 'No answer in time',
    advice:
      'The receiver did not answer completely within the time that an attempt has. Let it answer with a 2xx first, and do the work afterwards.',
  },
  connection_refused: {
    title: 'Connection refused',
    advice:
      'Nothing listens at that address and port, or a firewall turns connections away. See that the receiver runs and can be reached from outside.',
  },
  connection_reset: {
    title: 'Connection broken off',
    advice:
      'The receiver, or a proxy before it, closed the connection before its answer was complete. A crash or a restart is the usual cause: look into its log.',
  },
  dns: {
    title: 'Host name not found',
    advice:
      'The host name leads to no address, or its name server does not answer. Check how it is spelled, and its DNS records.',
  },
  tls: {
    title: 'No secure connection',
    advice:
      'The certificate has expired, is for another name or is not signed by a known authority, or the TLS handshake failed. Renew it, with the whole chain.',
  },
  blocked_address: {
    title: 'Address not allowed',
    advice:
      'The host name leads to a private, local or reserved address. Events are sent to public addresses only.',
  },
  http_protocol: {
    title: 'Answer not readable',
    advice:
      'What came back is not a valid HTTP/1.1 response, or its headers are too large. See that an HTTP server listens at that port.',
  },
  aborted: {
    title: 'Given up by the service',
    advice: 'The service was stopped in the middle of the attempt. That says nothing about the receiver.',
  },
  network: {
    title: 'Network error',
    advice: 'The receiver could not be reached over the network. It may be offline, or the way to it broken.',
  },
};

const HTTP: Record<number, string> = {
  400: 'The receiver could not read the request. Its log should say why; it has to take JSON with the signature headers.',
  401: 'The receiver wants credentials. Let it verify the signature instead: deliveries carry no other proof.',
  403: 'The receiver, or a firewall before it, forbids the request. Let it in, and let it verify the signature.',
  404: 'The receiver has nothing at that path. Check the address of the endpoint.',
  405: 'The receiver does not take POST at that path. Check the address of the endpoint.',
  408: 'The receiver waited too long for the request. It may be overloaded.',
  410: 'The receiver said that it is gone for good. Nothing more was tried, and the endpoint was switched off.',
  413: 'The receiver does not take a body of that size. Raise its limit.',
  415: 'The receiver does not take JSON. Deliveries are sent as application/json.',
  429: 'The receiver has had too many requests. The next attempt waits as long as it asked for, within bounds.',
  502: 'A proxy before the receiver could not reach it. See that the receiver runs.',
  503: 'The receiver is overloaded or being maintained. The next attempt waits as long as it asked for, within bounds.',
  504: 'A proxy before the receiver waited for it in vain. Let it answer first, and do the work afterwards.',
};

function adviceFor(status: number): string {
  const known = HTTP[status];
  if (known) return known;
  if (status < 400)
    return 'The receiver redirected. Redirects are not followed: enter the address that it leads to.';
  if (status < 500) return 'The receiver refused the request. Its log should say why.';
  return 'The receiver failed while it handled the request. Look into its log.';
}

/** A short code, in words. One that is not known yet stands for itself. */
export function failureOf(code: string): Failure {
  const known = FAILURES[code];
  if (known) return known;
  const status = Number(/^http_(\d{3})$/.exec(code)?.[1]);
  if (status) return { title: `Answered ${status}`, advice: adviceFor(status) };
  return { title: code, advice: 'The attempt failed for a reason that the console does not know.' };
}

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { type AddressPolicy, isPublicAddress, isRefusedHost } from './address-policy.ts';
import { OutboundError, outboundErrorCode } from './errors.ts';
import { checkedLookup, type Lookup } from './lookup.ts';

/** Milliseconds until the next address of a name is tried beside one that does not answer (RFC 8305). */
const NEXT_ADDRESS_AFTER = 1_000;

/** Milliseconds after which a connection that no attempt waits for any more is given up. */
const CONNECT_TIMEOUT = 30_000;

/** Opens a socket and reports it to undici once it can be written to; gives the socket back while it connects. */
type Connector = (target: buildConnector.Options, callback: buildConnector.Callback) => Socket | undefined;

interface ConnectorOptions extends AddressPolicy {
  lookup: Lookup;
  /** Bytes that one response may take on the wire, headers and framing included. */
  maxWireBytes: number;
}

/**
 * Opens every connection that leaves the service, and is the one place where addresses are checked: literal ones
 * here, since sockets do not look them up, and all others as they are resolved.
 */
export function createConnector({ allowPrivate, lookup, maxWireBytes }: ConnectorOptions): Connector {
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  const options = {
    lookup: checkedLookup(lookup, isAllowed),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER,
    noDelay: true,
  };
  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:';
    if (!allowPrivate && (!secure || isRefusedHost(hostname))) {
      process.nextTick(callback, new OutboundError('blocked_address', 'The target is refused.'), null);
      return undefined;
    }
    const target = { ...options, host: hostname, port: Number(port || (secure ? 443 : 80)) };
    const socket = secure
      ? connectTls({
          ...target,
          // No SNI for literal addresses, none with a trailing dot (RFC 6066 section 3).
          servername: isIP(hostname) ? '' : hostname.replace(/\.$/, ''),
          ALPNProtocols: ['http/1.1'],
          // Said outright, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
          rejectUnauthorized: true,
        })
      : connectTcp(target);
    limitResponses(socket, maxWireBytes);
    report(socket, secure, callback);
    return socket;
  };
}

/**
 * Ends a connection on which one response takes more bytes than any honest one: reason phrases and chunk
 * extensions are read by the parser without a limit, and are no part of the headers or the body that have one.
 */
function limitResponses(socket: Socket, maxBytes: number): void {
  let written = 0;
  let read = 0;
  let responseAt = 0;
  socket.on('readable', () => {
    // Something was written since: the next request, and what is read from here on answers it.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      responseAt = read;
    }
    read = socket.bytesRead;
    if (read - responseAt > maxBytes) {
      socket.destroy(new OutboundError('http_protocol', 'The response takes too many bytes.'));
    }
  });
}

/** Calls back once, with the usable socket or with what went wrong. */
function report(socket: Socket, secure: boolean, callback: buildConnector.Callback): void {
  let reached = false;
  let done = false;
  const giveUp = setTimeout(
    () => socket.destroy(new OutboundError('timeout', 'No connection in time.')),
    CONNECT_TIMEOUT,
  );
  socket.once('connect', () => {
    reached = true;
  });
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    clearTimeout(giveUp);
    done = true;
    callback(null, socket);
  });
  // Stays for the socket's life: an error that nobody listens to would end the process.
  socket.on('error', (error) => {
    clearTimeout(giveUp);
    if (done) return;
    done = true;
    // Certificate errors have dozens of codes; what is unknown and comes in the handshake is one of them.
    const inHandshake = secure && reached && outboundErrorCode(error) === 'network';
    callback(inHandshake ? new OutboundError('tls', error.message, error) : error, null);
  });
}

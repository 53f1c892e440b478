import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { checkedLookup, type Lookup } from './dns-lookup.ts';
import { OutboundError, outboundErrorCode } from './outbound-errors.ts';
import { isPublicAddress } from './private-address-ranges.ts';
import { isBlockedHost, portOf, type TargetPolicy } from './target-policy.ts';

/** Delay before the next address of a name is tried in parallel with an unresponsive one (RFC 8305). */
const NEXT_ADDRESS_MS = 1_000;

/** Time limit for opening a connection whose request has already ended. */
const CONNECT_TIMEOUT_MS = 30_000;

/** Opens a socket, reports it to undici once it is writable, and returns it while it connects. */
type Connector = (target: buildConnector.Options, callback: buildConnector.Callback) => Socket | undefined;

interface ConnectorOptions extends TargetPolicy {
  lookup: Lookup;
  /** Maximum size of one response on the wire, headers and framing included. */
  maxWireBytes: number;
  /** Certificates and key of TLS connections; by default no client certificate, and the authorities of Node.js. */
  secureContext?: SecureContext | undefined;
}

/**
 * Creates the connector through which every outbound connection opens. It is the only place where addresses are
 * checked: literal ones here, since sockets do not look them up, and all others as they are resolved.
 */
export function createConnector({
  allowPrivate,
  blockedPorts,
  lookup,
  maxWireBytes,
  secureContext,
}: ConnectorOptions): Connector {
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  const options = {
    lookup: checkedLookup(lookup, isAllowed, allowPrivate ? 'dns' : 'blocked_address'),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
  };
  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:';
    if (!allowPrivate && (!secure || isBlockedHost(hostname))) {
      process.nextTick(callback, new OutboundError('blocked_address', 'The target is blocked.'), null);
      return undefined;
    }
    const target = { ...options, host: hostname, port: portOf({ protocol, port }) };
    if (blockedPorts?.has(target.port)) {
      process.nextTick(callback, new OutboundError('blocked_port', 'The port is blocked.'), null);
      return undefined;
    }
    const socket = secure
      ? connectTls({
          ...target,
          // No SNI for literal addresses, no trailing dot in names (RFC 6066 section 3).
          servername: isIP(hostname) ? '' : hostname.replace(/\.$/, ''),
          ALPNProtocols: ['http/1.1'],
          // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
          rejectUnauthorized: true,
          ...(secureContext && { secureContext }),
        })
      : connectTcp(target);
    limitResponseSize(socket, maxWireBytes);
    reportConnection({ socket, secure, callback });
    return socket;
  };
}

/**
 * Closes a connection when one response exceeds `maxBytes` on the wire: the parser reads reason phrases and chunk
 * extensions without a limit, and the limits of headers and body do not cover them.
 */
function limitResponseSize(socket: Socket, maxBytes: number): void {
  let written = 0;
  let read = 0;
  let responseStart = 0;
  socket.on('readable', () => {
    // A write since the last read was the next request: the following bytes are its response.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      responseStart = read;
    }
    read = socket.bytesRead;
    if (read - responseStart > maxBytes) {
      socket.destroy(
        new OutboundError('http_protocol', 'The response exceeds the maximum size on the wire.'),
      );
    }
  });
}

interface PendingConnection {
  socket: Socket;
  secure: boolean;
  callback: buildConnector.Callback;
}

/** Calls back once, with the connected socket or with the error. */
function reportConnection({ socket, secure, callback }: PendingConnection): void {
  let tcpConnected = false;
  let done = false;
  const timer = setTimeout(
    () => socket.destroy(new OutboundError('timeout', 'The connection timed out.')),
    CONNECT_TIMEOUT_MS,
  );
  socket.once('connect', () => {
    tcpConnected = true;
  });
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    done = true;
    callback(null, socket);
  });
  // Stays for the lifetime of the socket: an unhandled 'error' event would end the process.
  socket.on('error', (error) => {
    clearTimeout(timer);
    if (done) return;
    done = true;
    // Certificate errors have dozens of codes; an unknown error during the handshake is one of them.
    const inHandshake = secure && tcpConnected && outboundErrorCode(error) === 'network';
    callback(inHandshake ? new OutboundError('tls', error.message, error) : error, null);
  });
}

import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts as TcpOptions } from 'node:net';
import { connect as connectTls, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { checkedAddresses, checkedLookup, type Lookup } from './dns-lookup.ts';
import { OutboundError, outboundErrorCode } from './outbound-errors.ts';
import type { Connecting, OutboundProxy } from './proxy.ts';
import { addressCheck, isBlockedHost, portOf, type TargetPolicy } from './target-policy.ts';

/** Delay before the next address of a name is tried in parallel with an unresponsive one (RFC 8305). */
const NEXT_ADDRESS_MS = 1_000;

/** Time limit for opening a connection whose request has already ended. */
const CONNECT_TIMEOUT_MS = 30_000;

/** True if `--tls-cipher-list` of Node.js has TLS 1.3 alone: its groups are fixed, and OpenSSL refuses to exclude from it. */
const isTls13Only = DEFAULT_CIPHERS.split(':').every((name) => name.startsWith('TLS_'));
/**
 * Ciphers of outbound TLS: those of Node.js without DHE, whose group the receiver chooses. One of 10,000 bits blocks the
 * event loop for more than a second. They belong to the secure context if there is one.
 */
export const OUTBOUND_CIPHERS = isTls13Only ? DEFAULT_CIPHERS : `${DEFAULT_CIPHERS}:!kDHE`;

/** Opens a connection, reports it to undici once it is writable, and returns it while it opens. */
type Connector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
) => Connecting | undefined;

interface ConnectorOptions extends TargetPolicy {
  lookup: Lookup;
  /** Maximum size of one response on the wire, headers and framing included. */
  maxWireBytes: number;
  /** Certificates, key and `OUTBOUND_CIPHERS` of TLS connections; by default no client certificate, and the authorities of Node.js. */
  secureContext?: SecureContext | undefined;
  /** Proxy for the targets that do not bypass it; null for direct connections. */
  proxy?: OutboundProxy | null;
}

/**
 * Creates the connector through which every outbound connection opens. It is the only place where addresses are
 * checked: literal ones here, since sockets do not look them up, and all others as they are resolved.
 */
export function createConnector(options: ConnectorOptions): Connector {
  const { allowPrivate, blockedPorts, lookup, maxWireBytes, secureContext, proxy = null } = options;
  const unresolved = allowPrivate ? 'dns' : 'blocked_address';

  const openTls = (hostname: string, transport: TcpOptions | { socket: Socket }): Socket =>
    connectTls({
      ...transport,
      // No SNI for literal addresses, no trailing dot in names (RFC 6066 section 3).
      servername: isIP(hostname) ? '' : hostname.replace(/\.$/, ''),
      ALPNProtocols: ['http/1.1'],
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
      rejectUnauthorized: true,
      ciphers: OUTBOUND_CIPHERS,
      ...(secureContext && { secureContext }),
    });

  /** Returns what the proxy is asked for: the checked address, or the name where there is nothing to check. */
  async function tunnelHost(hostname: string, secure: boolean, resolvesNames: boolean): Promise<string> {
    const name = hostname.replace(/\.$/, '');
    if (allowPrivate || isIP(hostname) !== 0 || (resolvesNames && secure)) return name;
    // The addresses that `http:` may reach are the operator's, and only the service checks them.
    if (resolvesNames) throw new OutboundError('blocked_address', 'The target is blocked.');
    const addresses = await checkedAddresses(name, lookup, addressCheck(options, secure), unresolved);
    return (addresses.find(({ family }) => family === 4) ?? addresses[0]).address;
  }

  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:';
    const isAllowed = addressCheck(options, secure);
    const targetPort = portOf({ protocol, port });
    const refuse = (code: 'blocked_address' | 'blocked_port', message: string): undefined =>
      void process.nextTick(callback, new OutboundError(code, message), null);
    if (!allowPrivate && isBlockedHost(hostname, isAllowed))
      return refuse('blocked_address', 'The target is blocked.');
    if (blockedPorts?.has(targetPort)) return refuse('blocked_port', 'The port is blocked.');

    if (proxy && !proxy.bypasses(hostname, targetPort)) {
      return proxy.connect({
        host: tunnelHost(hostname, secure, proxy.resolvesNames),
        port: targetPort,
        onOpen(error, tunnel) {
          if (error) return callback(error, null);
          const socket = secure ? openTls(hostname, { socket: tunnel }) : tunnel;
          limitResponseSize(socket, maxWireBytes);
          if (secure) reportConnection({ socket, secure, isTcpConnected: true, callback });
          else callback(null, socket);
        },
      });
    }

    const transport = {
      host: hostname,
      port: targetPort,
      lookup: checkedLookup(lookup, isAllowed, unresolved),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      noDelay: true,
    };
    const socket = secure ? openTls(hostname, transport) : connectTcp(transport);
    limitResponseSize(socket, maxWireBytes);
    reportConnection({ socket, secure, isTcpConnected: false, callback });
    return { socket, timeoutError: () => new OutboundError('timeout', 'The connection timed out.') };
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
  isTcpConnected: boolean;
  callback: buildConnector.Callback;
}

/** Calls back once, with the connected socket or with the error. */
function reportConnection({ socket, secure, isTcpConnected, callback }: PendingConnection): void {
  let tcpConnected = isTcpConnected;
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

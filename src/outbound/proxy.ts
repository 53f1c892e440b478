import { type ClientRequest, request as httpRequest } from 'node:http';
import { isIP, Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../platform/logger.ts';
import { createLookup, type Lookup } from './dns-lookup.ts';
import {
  OutboundError,
  type OutboundErrorCode,
  outboundErrorCode,
  PROXY_ERRORS,
  type ProxyErrorCode,
} from './outbound-errors.ts';
import { type Bypass, type BypassRule, createBypass } from './proxy-bypass.ts';

/** `OUTBOUND_PROXY` and the variables that belong to it. */
export interface ProxySettings {
  host: string;
  port: number;
  /** Value of `Proxy-Authorization`; null without credentials. */
  authorization: string | null;
  bypass: readonly BypassRule[];
  /** The proxy resolves and checks the names of targets; otherwise the service does. */
  resolvesNames: boolean;
}

/** Outcomes of a request for a tunnel, as metric labels. */
export const TUNNEL_OUTCOMES = ['opened', 'target_failed', ...PROXY_ERRORS] as const;
type TunnelOutcome = (typeof TUNNEL_OUTCOMES)[number];

interface ProxyObserver {
  onTunnel(outcome: TunnelOutcome): void;
}

/** A failure of the proxy that lasts. */
interface ProxyFailure {
  error: ProxyErrorCode;
  sinceMs: number;
}

/** A connection that opens for a request. */
export interface Connecting {
  socket: Socket;
  /** Returns the error of a request whose time is over while the connection opens. */
  timeoutError(): OutboundError;
}

interface Deps {
  settings: ProxySettings;
  observer: ProxyObserver;
  log: Logger;
  /** Resolves the name of the proxy. */
  lookup?: Lookup;
}

interface Tunnel {
  /** Address or name to ask the proxy for. Rejects with an `OutboundError` if the target must not be reached. */
  host: Promise<string>;
  port: number;
  /** Receives the socket once it leads to the target, or an `OutboundError`. */
  onOpen: (error: OutboundError | null, socket: Socket) => void;
}

/** Statuses with which a proxy reports that it works and the target does not; 403 is its policy for the target. */
const TARGET_FAILURES = new Map<number, OutboundErrorCode>([
  [403, 'blocked_address'],
  [502, 'connection_refused'],
  [503, 'connection_refused'],
  [504, 'timeout'],
]);

const MAX_HEADER_BYTES = 16_384;
/** A failure that no request has repeated for this long is not reported as present. Milliseconds. */
const FAILURE_MAX_AGE_MS = 60_000;
/** Bounds of the pause before a request is repeated that the proxy has failed. Milliseconds. */
const MIN_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
/** Time limit of a check of the proxy itself. Milliseconds. */
const CHECK_TIMEOUT_MS = 2_000;
/** Targets that the proxy has not answered for, and how long one is remembered after its last request. Milliseconds. */
const MAX_UNANSWERED = 1_000;
const UNANSWERED_FOR_MS = 120_000;

const targetOf = (host: string, port: number): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Creates the operator's HTTP proxy as this process uses it: tunnels by CONNECT, and whether it works. */
export function createProxy({ settings, observer, log, lookup = createLookup() }: Deps) {
  const { host: proxyHost, port: proxyPort, authorization } = settings;
  let failure: { error: ProxyErrorCode; since: number; lastAt: number } | null = null;
  /** Time of the last response to a CONNECT, refusals included. */
  let answeredAt = Number.NEGATIVE_INFINITY;
  /** Targets that the proxy has not answered for. */
  const unanswered = new LRUCache<string, true>({
    ...{ max: MAX_UNANSWERED, ttl: UNANSWERED_FOR_MS },
    updateAgeOnGet: true,
  });
  let isChecking = false;

  function answered(): void {
    answeredAt = performance.now();
    if (failure) log.info({ failedMs: Math.round(answeredAt - failure.since) }, 'outbound proxy works again');
    failure = null;
  }

  function succeeded(outcome: TunnelOutcome): void {
    observer.onTunnel(outcome);
    answered();
  }

  function failed(error: ProxyErrorCode, cause?: unknown): OutboundError {
    observer.onTunnel(error);
    const now = performance.now();
    if (failure?.error !== error)
      log.warn({ error, proxy: `${proxyHost}:${proxyPort}` }, 'outbound proxy failed; deliveries wait');
    failure = { error, since: failure?.since ?? now, lastAt: now };
    return new OutboundError(error, 'The outbound proxy failed.', cause);
  }

  const lookupProxy = (
    hostname: string,
    _options: object,
    callback: (error: Error | null, addresses: { address: string; family: number }[]) => void,
  ): void => {
    lookup(hostname).then(
      (found) =>
        found.length > 0 ? callback(null, [...found]) : callback(new Error('The proxy has no address.'), []),
      (error: Error) => callback(error, []),
    );
  };

  /** Sends a request for a tunnel over a socket that is not connected yet. */
  function requestTunnel(socket: Socket, target: string): ClientRequest {
    socket.connect({
      host: proxyHost,
      port: proxyPort,
      lookup: lookupProxy as never,
      autoSelectFamily: true,
    });
    return httpRequest({
      method: 'CONNECT',
      path: target,
      headers: {
        host: target,
        'proxy-connection': 'keep-alive',
        ...(authorization !== null && { 'proxy-authorization': authorization }),
      },
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      createConnection: () => socket,
    }).end();
  }

  /**
   * Asks the proxy for a tunnel to itself: any answer but a demand for credentials shows that it works, and that it waits for
   * the target that it does not answer for. Otherwise such a target alone would keep the proxy reported as failing.
   */
  function check(): void {
    if (isChecking) return;
    isChecking = true;
    const socket = new Socket().unref();
    const timer = setTimeout(() => socket.destroy(), CHECK_TIMEOUT_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      isChecking = false;
    });
    requestTunnel(socket, targetOf(proxyHost, proxyPort))
      .on('connect', ({ statusCode }) => {
        if (statusCode !== 407) answered();
        socket.destroy();
      })
      .on('error', () => socket.destroy());
  }

  /** Returns the error of a request that the proxy has not answered. */
  function unansweredError(target: string): OutboundError {
    unanswered.set(target, true);
    check();
    return failed('proxy_timeout');
  }

  /** Asks the proxy for a tunnel over a socket that is not connected yet. */
  function open(socket: Socket, target: string, end: (error: OutboundError | null) => void): void {
    let isConnected = false;
    socket.once('connect', () => {
      isConnected = true;
    });
    // The answer shows during this request whether the proxy works or hangs.
    if (unanswered.get(target)) check();
    const connect = requestTunnel(socket, target);
    connect.on('connect', ({ statusCode = 0 }, _socket, head: Buffer) => {
      unanswered.delete(target);
      const targetFailure = TARGET_FAILURES.get(statusCode);
      if (statusCode >= 200 && statusCode < 300 && head.length === 0) {
        succeeded('opened');
        return end(null);
      }
      if (targetFailure) {
        succeeded('target_failed');
        return end(new OutboundError(targetFailure, `The proxy responded with HTTP ${statusCode}.`));
      }
      end(failed(statusCode === 407 ? 'proxy_authentication' : 'proxy_response'));
    });
    connect.on('error', (error) => end(endOf(error)));

    function endOf(error: Error): OutboundError {
      // The request has ended: by its time limit, or because its target is blocked.
      if (error instanceof OutboundError) return error;
      if ('code' in error && String(error.code).startsWith('HPE_')) return failed('proxy_response', error);
      if (isConnected) return failed('proxy_closed', error);
      const code = outboundErrorCode(error);
      if (code === 'timeout') return failed('proxy_timeout', error);
      return failed(code === 'connection_refused' ? 'proxy_refused' : 'proxy_unreachable', error);
    }
  }

  return {
    bypasses: createBypass(settings.bypass) satisfies Bypass,
    resolvesNames: settings.resolvesNames,

    /** Opens a tunnel to a target. The socket exists at once, so that the caller can end the attempt. */
    connect({ host, port, onOpen }: Tunnel): Connecting {
      const socket = new Socket();
      const startedAt = performance.now();
      /** Target that the proxy is asked for; null before that. */
      let asked: string | null = null;
      let isOver = false;
      const end = (error: OutboundError | null): void => {
        if (isOver) return;
        isOver = true;
        if (error) socket.destroy();
        onOpen(error, socket);
      };
      // Stays for the lifetime of the socket: an unhandled 'error' event would end the process.
      socket.on('error', (error) => {
        if (error instanceof OutboundError) end(error);
      });
      socket.once('close', () => {
        // Later, the request for the tunnel reports the end of the connection.
        if (asked === null) end(new OutboundError('aborted', 'The request ended before its tunnel opened.'));
      });
      host.then(
        (name) => {
          if (socket.destroyed) return;
          asked = targetOf(name, port);
          open(socket, asked, end);
        },
        (error: OutboundError) => end(error),
      );
      return {
        socket,
        timeoutError() {
          // If the proxy has responded to others since, or to a check, it works and waits for the target.
          return !isOver && asked !== null && answeredAt < startedAt
            ? unansweredError(asked)
            : new OutboundError('timeout', 'The request timed out while its connection opened.');
        },
      };
    },

    /** Returns the failure of the proxy; null while it works, and before the first request. */
    failure(): ProxyFailure | null {
      const now = performance.now();
      if (!failure || now - failure.lastAt > FAILURE_MAX_AGE_MS) return null;
      return { error: failure.error, sinceMs: now - failure.since };
    },

    /** Returns the pause before a request is repeated: as long as the proxy has failed, within bounds. */
    pauseMs(): number {
      const failedMs = failure ? performance.now() - failure.since : 0;
      return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, failedMs));
    },
  };
}

export type OutboundProxy = ReturnType<typeof createProxy>;

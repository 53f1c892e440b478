import type { SecureContext } from 'node:tls';
import { Agent } from 'undici';
import { createConnector } from './checked-connector.ts';
import { createLookup, type Lookup } from './dns-lookup.ts';
import type { OutboundRequest, OutboundResult } from './outbound-request.ts';
import type { OutboundProxy } from './proxy.ts';
import { RequestHandler } from './request-handler.ts';
import type { TargetPolicy } from './target-policy.ts';

/** Time for which an idle connection is kept, even if the receiver's `Keep-Alive` header allows more. */
const KEEP_ALIVE_MS = 4_000;

/** Maximum size of all headers of a response. */
const MAX_HEADER_BYTES = 16_384;

const DEFAULT_MAX_WIRE_BYTES = 1_048_576;

export interface OutboundClient {
  /**
   * Sends one request over HTTP/1.1, once: redirects are not followed, and nothing is retried, not even on a kept-alive
   * connection that the receiver has closed (`connection_reset`). Never rejects.
   */
  send(request: OutboundRequest): Promise<OutboundResult>;
  /**
   * Rejects further requests (`aborted`), waits for those in flight, and closes all connections.
   * @param graceMs time after which requests in flight are aborted
   */
  close(graceMs: number): Promise<void>;
}

interface OutboundClientOptions extends TargetPolicy {
  /** Resolves host names; its results are checked. DNS by default; tests of DNS rebinding inject their own. */
  lookup?: Lookup;
  /** Maximum size of one response on the wire, including framing; a larger one fails with `http_protocol`. */
  maxWireBytes?: number;
  /** Client certificate, and the authorities that a receiver's certificate must be of; none and the usual ones by default. */
  secureContext?: SecureContext;
  /** Proxy for the targets that do not bypass it; null, the default, for direct connections. */
  proxy?: OutboundProxy | null;
}

/**
 * Creates an outbound HTTP client, the only way for the service to make requests. Tenants' targets and the operator's
 * own addresses use separate clients, the latter with `allowPrivate`: addresses are checked when a connection opens, so
 * the two must not share connections. Of proxies, only `proxy` has an effect. Idle connections close after
 * `KEEP_ALIVE_MS`; the number of open ones is bounded by the caller's requests in flight.
 */
export function createOutboundClient({
  lookup = createLookup(),
  maxWireBytes = DEFAULT_MAX_WIRE_BYTES,
  ...options
}: OutboundClientOptions): OutboundClient {
  const connect = createConnector({ ...options, lookup, maxWireBytes });
  const inFlight = new Set<RequestHandler>();
  let closing: Promise<void> | undefined;
  let onIdle = () => {};
  // undici opens a connection synchronously within `dispatch`; this identifies the request that it is for.
  let dispatching: RequestHandler | undefined;

  const agent = new Agent({
    connect: (target, callback) => {
      const connecting = connect(target, callback);
      dispatching?.onConnecting(connecting);
    },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // `RequestHandler` has one timer for the whole request instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function dispatch(handler: RequestHandler, { url, method, headers, body }: OutboundRequest): void {
    const target = URL.parse(url);
    if (target === null) {
      handler.fail(new Error('Not a valid URL.'));
      return;
    }
    dispatching = handler;
    agent.dispatch(
      { origin: target.origin, path: target.pathname + target.search, method, headers, body },
      handler,
    );
    dispatching = undefined;
  }

  async function drain(graceMs: number): Promise<void> {
    const abortTimer = setTimeout(() => {
      for (const handler of inFlight) handler.abort();
    }, graceMs);
    await new Promise<void>((resolve) => {
      onIdle = resolve;
      if (inFlight.size === 0) resolve();
    });
    clearTimeout(abortTimer);
    await agent.destroy();
  }

  return {
    send: (request) =>
      new Promise((resolve) => {
        const handler = new RequestHandler(request, (result) => {
          inFlight.delete(handler);
          if (inFlight.size === 0) onIdle();
          resolve(result);
        });
        inFlight.add(handler);
        if (closing || request.signal?.aborted) handler.abort();
        else dispatch(handler, request);
      }),
    close: (graceMs) => {
      closing ??= drain(graceMs);
      return closing;
    },
  };
}

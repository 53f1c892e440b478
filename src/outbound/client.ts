import { Agent } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { Attempt } from './attempt.ts';
import { createConnector } from './connector.ts';
import { createLookup, type Lookup } from './lookup.ts';
import type { OutboundRequest, OutboundResult } from './request.ts';

/** Milliseconds that an idle connection is kept, even where the receiver's `Keep-Alive` header allows more. */
const KEEP_ALIVE = 4_000;

/** Bytes that all headers of a response may have together. */
const MAX_HEADER_BYTES = 16_384;

export interface Outbound {
  /**
   * Sends one request over HTTP/1.1, once: no redirect is followed and nothing is repeated, not even when a kept
   * connection turns out to be closed (`connection_reset`; deliveries have their second attempt for that).
   * Never rejects.
   */
  send(request: OutboundRequest): Promise<OutboundResult>;
  /**
   * Takes no more requests (`aborted`), lets those under way finish, and closes all connections.
   * @param graceMs milliseconds after which what is still under way is given up as `aborted`.
   */
  close(graceMs: number): Promise<void>;
}

interface OutboundOptions extends AddressPolicy {
  /** Finds the addresses of names; what it finds is checked (tests of rebinding pass one in). */
  lookup?: Lookup;
  /** Bytes of one response on the wire, framing included, past which it is `http_protocol`; 1 MiB by default. */
  maxWireBytes?: number;
}

/**
 * The one way out of the service. Tenants' targets and the operator's own addresses go through two of these, the
 * second with `allowPrivate`: connections are checked as they are opened, so the two must not share any.
 * Proxy variables of the environment have no effect. Idle connections close by themselves; how many are open is
 * bounded by how many requests the caller has under way.
 */
export function createOutbound({
  allowPrivate,
  lookup = createLookup(),
  maxWireBytes = 1_048_576,
}: OutboundOptions): Outbound {
  const connect = createConnector({ allowPrivate, lookup, maxWireBytes });
  const active = new Set<Attempt>();
  let closing: Promise<void> | undefined;
  let onIdle = () => {};
  // undici opens a connection within `dispatch`: this is how the attempt it is for can end it while it opens.
  let dispatching: Attempt | undefined;

  const agent = new Agent({
    connect: (target, callback) => {
      const socket = connect(target, callback);
      dispatching?.opens(socket);
    },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE,
    maxHeaderSize: MAX_HEADER_BYTES,
    // One timer for the whole attempt instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function dispatch(attempt: Attempt, { url, method, headers, body }: OutboundRequest): void {
    const target = URL.parse(url);
    if (target === null) {
      attempt.end(new Error('Not a valid URL.'));
      return;
    }
    dispatching = attempt;
    agent.dispatch(
      { origin: target.origin, path: target.pathname + target.search, method, headers, body },
      attempt,
    );
    dispatching = undefined;
  }

  async function drain(graceMs: number): Promise<void> {
    const giveUp = setTimeout(() => {
      for (const attempt of active) attempt.abort();
    }, graceMs);
    await new Promise<void>((resolve) => {
      onIdle = resolve;
      if (active.size === 0) resolve();
    });
    clearTimeout(giveUp);
    await agent.destroy();
  }

  return {
    send: (request) =>
      new Promise((resolve) => {
        const attempt = new Attempt(request, (result) => {
          active.delete(attempt);
          if (active.size === 0) onIdle();
          resolve(result);
        });
        active.add(attempt);
        if (closing || request.signal?.aborted) attempt.abort();
        else dispatch(attempt, request);
      }),
    close: (graceMs) => {
      closing ??= drain(graceMs);
      return closing;
    },
  };
}

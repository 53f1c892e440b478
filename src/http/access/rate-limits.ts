import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../config.ts';
import { AppError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';

/** Failed authentications of one address; generous, since many clients may stand behind one. */
const FAILURES: RateLimit = { requests: 300, windowMs: 60_000 };
/** Credentials remembered as good, which an address over its limit may go on using. */
const REMEMBERED = 10_000;

const memory = ({ requests, windowMs }: RateLimit) =>
  new RateLimiterMemory({ points: requests, duration: windowMs / 1000, keyPrefix: '' });

const refused = (seconds: number) =>
  new AppError('RATE_LIMITED', 'Too many requests; try again later.', { retryAfter: seconds });

/** Counts the requests of each API key in this process, and tells the client where it stands. */
export function keyLimiter(limit: RateLimit) {
  const limiter = memory(limit);
  const total = String(limit.requests);
  return {
    /**
     * Counts one request and adds the `RateLimit-*` headers (draft-ietf-httpapi-ratelimit-headers-06).
     * @throws AppError RATE_LIMITED
     */
    async count(x: Exchange, keyId: string): Promise<void> {
      const state = await limiter.consume(keyId).catch((refusal: unknown) => refusal);
      if (!(state instanceof RateLimiterRes)) throw state;
      const reset = Math.ceil(state.msBeforeNext / 1000);
      x.headers.push('RateLimit-Limit', total, 'RateLimit-Remaining', String(state.remainingPoints));
      x.headers.push('RateLimit-Reset', String(reset));
      if (state.consumedPoints > limit.requests) throw refused(reset);
    },
  };
}

/**
 * Counts failed authentications by address. An address over the limit is refused before its key is looked up,
 * unless that very key has been good before: whoever shares an address with a misconfigured client goes on working.
 */
export function failureLimiter(limit: RateLimit = FAILURES) {
  const limiter = memory(limit);
  const good = new Set<string>();
  return {
    /** @throws AppError RATE_LIMITED */
    async check(x: Exchange, credential: string): Promise<void> {
      const state = await limiter.get(sourceOf(x));
      if (!state || state.consumedPoints < limit.requests || good.has(credential)) return;
      throw refused(state.msBeforeNext / 1000);
    },
    async failed(x: Exchange, credential: string): Promise<void> {
      good.delete(credential);
      await limiter.penalty(sourceOf(x));
    },
    succeeded(credential: string): void {
      if (good.has(credential)) return;
      if (good.size >= REMEMBERED) for (const oldest of good.values().take(1)) good.delete(oldest);
      good.add(credential);
    },
  };
}

const sources = new WeakMap<object, string>();

/** The peer's IPv4 address or IPv6 /64 (one subscriber has all of it), worked out once for a connection. */
function sourceOf({ req: { socket } }: Exchange): string {
  let source = sources.get(socket);
  if (source === undefined) {
    const address = socket.remoteAddress;
    const parsed = address && ipaddr.isValid(address) ? ipaddr.process(address) : null;
    source = parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : String(parsed);
    sources.set(socket, source);
  }
  return source;
}

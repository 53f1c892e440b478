import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../config.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Exchange } from '../exchange.ts';

/** Limit on failed authentications per client address; generous, since many clients may share an address. */
const FAILURE_LIMIT: RateLimit = { requests: 300, windowMs: 60_000 };
/** Number of valid credentials remembered, which stay usable from an address over its limit. */
const MAX_VALID_CREDENTIALS = 10_000;

const memoryLimiter = ({ requests, windowMs }: RateLimit) =>
  new RateLimiterMemory({ points: requests, duration: windowMs / 1000, keyPrefix: '' });

const rateLimited = (retryAfterSeconds: number) =>
  new AppError('RATE_LIMITED', 'Rate limit exceeded; retry after the time in Retry-After.', {
    retryAfter: retryAfterSeconds,
  });

/** Limits the requests of each API key in this process and reports the remaining quota to the client. */
export function keyLimiter(limit: RateLimit) {
  const limiter = memoryLimiter(limit);
  const total = String(limit.requests);
  return {
    /**
     * Counts one request and adds the `RateLimit-*` headers (draft-ietf-httpapi-ratelimit-headers-06).
     * @throws AppError RATE_LIMITED
     */
    async count(x: Exchange, keyId: string): Promise<void> {
      const state = await limiter.consume(keyId).catch((rejection: unknown) => rejection);
      if (!(state instanceof RateLimiterRes)) throw state;
      const resetSeconds = Math.ceil(state.msBeforeNext / 1000);
      x.headers.push('RateLimit-Limit', total, 'RateLimit-Remaining', String(state.remainingPoints));
      x.headers.push('RateLimit-Reset', String(resetSeconds));
      if (state.consumedPoints > limit.requests) throw rateLimited(resetSeconds);
    },
  };
}

/**
 * Limits failed authentications per client address. An address over the limit is rejected before its key is looked
 * up, except for keys that were valid before: clients that share an address with a misconfigured one keep working.
 */
export function failureLimiter(limit: RateLimit = FAILURE_LIMIT) {
  const limiter = memoryLimiter(limit);
  const validCredentials = new Set<string>();
  return {
    /** @throws AppError RATE_LIMITED */
    async check(x: Exchange, credential: string): Promise<void> {
      const state = await limiter.get(clientNetwork(x));
      if (!state || state.consumedPoints < limit.requests || validCredentials.has(credential)) return;
      throw rateLimited(state.msBeforeNext / 1000);
    },
    async failed(x: Exchange, credential: string): Promise<void> {
      validCredentials.delete(credential);
      await limiter.penalty(clientNetwork(x));
    },
    succeeded(credential: string): void {
      if (validCredentials.has(credential)) return;
      if (validCredentials.size >= MAX_VALID_CREDENTIALS)
        for (const oldest of validCredentials.values().take(1)) validCredentials.delete(oldest);
      validCredentials.add(credential);
    },
  };
}

const networkBySocket = new WeakMap<object, string>();

/** Returns the client's IPv4 address or IPv6 /64, which one subscriber owns; computed once per connection. */
function clientNetwork({ req: { socket } }: Exchange): string {
  let network = networkBySocket.get(socket);
  if (network === undefined) {
    const address = socket.remoteAddress;
    const parsed = address && ipaddr.isValid(address) ? ipaddr.process(address) : null;
    network = parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : String(parsed);
    networkBySocket.set(socket, network);
  }
  return network;
}

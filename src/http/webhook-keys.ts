import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PublicKeys } from '../features/webhooks/endpoints/public-keys.ts';
import type { failureLimiter } from '../limits/rate-limits.ts';
import type { ClientNetwork } from './access/client-address.ts';
import type { RouteChecks } from './checks.ts';
import { contentTag } from './response/entity-tag.ts';
import { respondRead } from './response/send-response.ts';

const WEBHOOK_KEYS_PATH = '/.well-known/webhook-keys.json';

interface Options {
  keys: PublicKeys;
  /** Null if rate limits are off. */
  limiter: ReturnType<typeof failureLimiter> | null;
  clientNetwork: ClientNetwork;
  checks: RouteChecks;
}

/** Adds the public keys that sign webhooks with Ed25519 (contract 6). Reading them requires no key. */
export function addWebhookKeys(
  app: FastifyInstance,
  { keys, limiter, clientNetwork, checks }: Options,
): void {
  const limited = async ({ raw }: FastifyRequest): Promise<void> =>
    limiter?.count(`webhook keys to ${clientNetwork(raw)}`);

  app.get(WEBHOOK_KEYS_PATH, checks.publicRead(limited), async ({ scope }, reply) => {
    const content = JSON.stringify({ keys: await keys.list() });
    const headers = { 'cache-control': 'public, max-age=60' };
    return respondRead(scope, reply, { content, headers, tag: contentTag(content) });
  });
}

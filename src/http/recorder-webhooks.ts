import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import {
  type ProviderWebhookService,
  RECORDER_HOOK_PATH,
} from '../features/meetings/webhook/provider-webhook.service.ts';
import type { Services } from '../features/services.ts';
import type { failureLimiter } from '../limits/rate-limits.ts';
import type { ClientNetwork } from './access/client-address.ts';
import type { RouteChecks } from './checks.ts';
import { noSuchPath } from './response/routing-errors.ts';
import { respondEmpty } from './response/send-response.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Connection to the meeting provider that the token of a webhook names. */
    connection: NonNullable<Awaited<ReturnType<ProviderWebhookService['connectionOf']>>>;
  }
}

interface Options {
  webhooks: Pick<ProviderWebhookService, 'connectionOf' | 'receive'>;
  /** Refuses webhooks for a suspended customer, which the provider sends again later. */
  requireActive: Services['tenants']['requireActive'];
  guardWrite: Services['guardWrite'];
  /** Null if rate limits are off. */
  failures: ReturnType<typeof failureLimiter> | null;
  clientNetwork: ClientNetwork;
  checks: RouteChecks;
}

/**
 * Adds the route of the meeting provider's webhooks. They are authenticated by the token in the path and by their
 * signature. Unknown tokens count towards the limit of failed authentications of the client. Webhooks of known tokens
 * neither count nor are refused by it: all tenants' webhooks come from the provider's addresses, and the secret that one
 * tenant has not set must not stop the webhooks of the others. Webhooks without a valid signature count towards a limit
 * of their connection, apart from the valid ones.
 */
export function addRecorderWebhooks(app: FastifyInstance, options: Options): void {
  const { webhooks, requireActive, guardWrite, failures, clientNetwork, checks } = options;

  async function findConnection(request: FastifyRequest): Promise<void> {
    const network = clientNetwork(request.raw);
    const { token } = request.params as { token: string };
    const connection = await webhooks.connectionOf(token, {
      throttled: failures?.isExceeded(network) ?? false,
    });
    if (!connection) {
      await failures?.count(network);
      throw noSuchPath();
    }
    await requireActive(connection._id);
    request.scope.customerId = connection._id;
    request.connection = connection;
  }

  async function receive({ connection, headers, body }: FastifyRequest, reply: FastifyReply) {
    const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
    const isValid = await guardWrite(() => webhooks.receive(connection, { headers, body: bytes }));
    if (!isValid) {
      await failures?.count(`webhook of ${connection._id}`);
      throw new AppError('UNAUTHENTICATED', 'The signature of the webhook is missing, expired or not valid.');
    }
    return respondEmpty(reply);
  }

  app.post(
    `${RECORDER_HOOK_PATH}:token`,
    { ...checks.recorderWebhook(findConnection), config: { cors: false } },
    receive,
  );
}

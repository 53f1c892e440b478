import { AppError } from '../errors/app-error.ts';
import {
  type ProviderWebhookService,
  RECORDER_HOOK_PATH,
} from '../features/meetings/webhook/provider-webhook.service.ts';
import type { Services } from '../features/services.ts';
import type { failureLimiter } from '../limits/rate-limits.ts';
import { readBody } from '../platform/http/read-body.ts';
import type { ClientNetwork } from './access/client-address.ts';
import { handleMethod } from './method-handlers.ts';
import type { RequestScope } from './request-scope.ts';
import { noSuchPath } from './response/routing-errors.ts';
import { DATA_HEADERS } from './response/security-headers.ts';
import { sendEmpty } from './response/send-response.ts';

/** A meeting with the transcript of several hours. */
const MAX_BODY_BYTES = 1024 * 1024;

interface Options {
  webhooks: Pick<ProviderWebhookService, 'connectionOf' | 'receive'>;
  guardWrite: Services['guardWrite'];
  /** Null if rate limits are off. */
  failures: ReturnType<typeof failureLimiter> | null;
  clientNetwork: ClientNetwork;
}

/** Returns true for the path of a webhook of the meeting provider. */
export const isRecorderWebhook = (path: string): boolean => path.startsWith(RECORDER_HOOK_PATH);

/**
 * Creates the handler of the webhooks of the meeting provider. They are authenticated by the token in the path and by
 * their signature. Unknown tokens count towards the limit of failed authentications of the client. Webhooks of known
 * tokens neither count nor are refused by it: all tenants' webhooks come from the provider's addresses, and the secret
 * that one tenant has not set must not stop those of the others. Those without a valid signature count towards a limit
 * of their connection, apart from the valid ones.
 */
export function recorderWebhooks({ webhooks, guardWrite, failures, clientNetwork }: Options) {
  async function receive(scope: RequestScope): Promise<void> {
    const { req, res, path } = scope;
    const network = clientNetwork(req);
    const connection = await webhooks.connectionOf(path.slice(RECORDER_HOOK_PATH.length), {
      throttled: failures?.isExceeded(network) ?? false,
    });
    if (!connection) {
      await failures?.count(network);
      throw noSuchPath();
    }
    scope.customerId = connection._id;
    const body = await readBody({ req, res, maxBytes: MAX_BODY_BYTES });
    const isValid = await guardWrite(() => webhooks.receive(connection, { headers: req.headers, body }));
    if (!isValid) {
      await failures?.count(`webhook of ${connection._id}`);
      throw new AppError('UNAUTHENTICATED', 'The signature of the webhook is missing, expired or not valid.');
    }
    sendEmpty(scope, { status: 204, headers: DATA_HEADERS });
  }

  return (scope: RequestScope): Promise<void> =>
    handleMethod(scope, { POST: receive }, `${RECORDER_HOOK_PATH}:token`);
}

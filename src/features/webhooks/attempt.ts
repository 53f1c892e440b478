import type { Outbound } from '../../outbound/client.ts';
import { type Clock, unixSeconds } from '../../platform/clock.ts';
import type { ClaimedDelivery } from './queue.store.ts';
import type { SecretBox } from './secrets.ts';
import type { AttemptResult } from './settle.ts';
import { signatureHeaders } from './signature.ts';
import type { EndpointDoc } from './webhooks.model.ts';

interface AttemptDeps {
  outbound: Outbound;
  secrets: SecretBox;
  clock: Clock;
  timeoutMs: number;
}

const USER_AGENT = 'engagement-webhooks/1';

/** Makes one attempt: signs with the endpoint's secret as it is now, sends, and says what came of it. Never throws. */
export function createAttempt({ outbound, secrets, clock, timeoutMs }: AttemptDeps) {
  return async (delivery: ClaimedDelivery, body: string, endpoint: EndpointDoc): Promise<AttemptResult> => {
    const at = clock.now();
    const answer = await outbound.send({
      url: endpoint.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        'X-SVC-Delivery-Id': delivery._id.toHexString(),
        ...signatureHeaders({
          secret: secrets.open(endpoint.id, endpoint.secret),
          eventId: delivery.eventId.toHexString(),
          body,
          t: unixSeconds(at),
        }),
      },
      body,
      timeoutMs,
    });
    const durationMs = Math.round(answer.durationMs);
    if (!answer.ok) {
      return {
        at,
        responseStatus: answer.status ?? null,
        responseBody: null,
        error: answer.error,
        durationMs,
        retryAfter: undefined,
      };
    }
    const succeeded = answer.status >= 200 && answer.status < 300;
    return {
      at,
      responseStatus: answer.status,
      responseBody: answer.body,
      error: succeeded ? null : `http_${answer.status}`,
      durationMs,
      retryAfter: answer.headers.retryAfter,
    };
  };
}

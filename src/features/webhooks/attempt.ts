import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { type Clock, unixSeconds } from '../../platform/clock.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import { type DeliveryObserver, outcomeOf } from './observer.ts';
import type { ClaimedDelivery } from './queue.store.ts';
import type { SecretBox } from './secrets.ts';
import type { AttemptResult } from './settle.ts';
import { signatureHeaders } from './signature.ts';
import type { EndpointDoc } from './webhooks.model.ts';

interface AttemptDeps {
  outbound: OutboundClient;
  secrets: SecretBox;
  clock: Clock;
  timeoutMs: number;
  observer: DeliveryObserver;
  tracing: Tracing | null;
}

type MakeAttempt = (delivery: ClaimedDelivery, body: string, endpoint: EndpointDoc) => Promise<AttemptResult>;

const USER_AGENT = 'engagement-webhooks/1';

/** Makes one attempt: signs with the endpoint's secret as it is now, sends, and says what came of it. Never throws. */
export function createAttempt(deps: AttemptDeps): MakeAttempt {
  const { outbound, secrets, clock, timeoutMs, observer, tracing } = deps;

  const send: MakeAttempt = async (delivery, body, endpoint) => {
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

  function tell({ attempt, lane, manual, createdAt }: ClaimedDelivery, result: AttemptResult): void {
    observer.onAttempt(outcomeOf(result), result.durationMs / 1000);
    // What a recovery puts back begins anew too, long after it was accepted: it is in the other lane.
    if (result.error === null && attempt === 1 && lane === 'inline' && !manual)
      observer.onFirstSuccess((clock.now().getTime() - createdAt.getTime()) / 1000);
  }

  const make = tracing ? traced(send, tracing) : send;
  return async (delivery, body, endpoint) => {
    const result = await make(delivery, body, endpoint);
    tell(delivery, result);
    return result;
  };
}

/** In a span of its own. Of the address it has the host alone: in what follows customers keep secrets. */
const traced =
  (make: MakeAttempt, { within }: Tracing): MakeAttempt =>
  (delivery, body, endpoint) =>
    within(
      {
        name: 'deliver webhook',
        outgoing: true,
        parent: delivery.origin ?? null,
        attributes: {
          'http.request.method': 'POST',
          'server.address': URL.parse(endpoint.url)?.hostname ?? '',
          'webhook.delivery.id': delivery._id.toHexString(),
          'webhook.event': delivery.event,
          'webhook.attempt': delivery.attempt,
        },
      },
      async (span) => {
        const result = await make(delivery, body, endpoint);
        if (result.responseStatus) span.set({ 'http.response.status_code': result.responseStatus });
        if (result.error) span.fail(result.error);
        return result;
      },
    );

import type { Clock } from '../../../platform/clock.ts';
import type { Tracing } from '../../../platform/tracing/tracing.ts';
import { attemptOutcome, type DeliveryObserver } from '../delivery-metrics.ts';
import { type EndpointDoc, timeoutMsOf } from '../endpoints/endpoint.model.ts';
import type { EndpointCredentials } from '../endpoints/endpoint-secrets.ts';
import { storedHeaders } from './attempt-headers.ts';
import type { SendToEndpoint } from './endpoint-requests.ts';
import type { ClaimedDelivery } from './queue.store.ts';
import type { AttemptResult, DeliveryControl } from './state.ts';
import { thinPayload } from './thin-payload.ts';

interface Deps {
  sendToEndpoint: SendToEndpoint;
  clock: Clock;
  /** Time limit of an attempt to an endpoint that sets none. */
  timeoutMs: number;
  /** Base URL under which clients reach the service. */
  publicUrl: string;
  observer: Pick<DeliveryObserver, 'onAttempt' | 'onFirstSuccess'>;
  tracing: Tracing | null;
}

/** A claimed delivery whose event is still kept. */
export type SendableDelivery = ClaimedDelivery & { payload: string };

type SendAttempt = (
  delivery: SendableDelivery,
  endpoint: EndpointDoc,
  credentials: EndpointCredentials,
) => Promise<AttemptResult>;

/** Values of the response header `webhook-delivery`; `abort-message` is `stop` as Svix names it. Others have no effect. */
const CONTROLS = new Map<string, DeliveryControl>([
  ['disable', 'disable'],
  ['stop', 'stop'],
  ['abort-message', 'stop'],
]);
/** A longer value is ignored. */
const MAX_CONTROL_CHARACTERS = 64;

const controlOf = (header = ''): DeliveryControl | undefined =>
  header.length > MAX_CONTROL_CHARACTERS ? undefined : CONTROLS.get(header.trim().toLowerCase());

/** Returns the code of a failure by a complete response. */
export const errorOfResponse = (status: number): string => `http_${status}`;

/** Creates the function that makes one attempt, with the endpoint's decrypted credentials. It never throws. */
export function createSendAttempt(deps: Deps): SendAttempt {
  const { sendToEndpoint, clock, timeoutMs, publicUrl, observer, tracing } = deps;

  const send: SendAttempt = async (delivery, endpoint, credentials) => {
    const at = clock.now();
    const { payload } = delivery;
    const body = endpoint.payload === 'thin' ? thinPayload(payload, delivery, publicUrl) : payload;
    const response = await sendToEndpoint(endpoint, credentials, {
      eventId: delivery.eventId.toHexString(),
      body,
      headers: { 'X-SVC-Delivery-Id': delivery._id.toHexString() },
      at,
      timeoutMs: timeoutMsOf(endpoint, timeoutMs),
    });
    const durationMs = Math.round(response.durationMs);
    const custom = [
      ...Object.keys(credentials.headers),
      ...(credentials.authentication && 'oauth2' in credentials.authentication ? ['authorization'] : []),
    ];
    const customHeaders = custom.length > 0 && { customHeaders: custom };
    if (!response.ok) {
      const { status = null, error } = response;
      return {
        at,
        responseStatus: status,
        responseBody: null,
        responseHeaders: null,
        ...customHeaders,
        error,
        durationMs,
        retryAfter: undefined,
      };
    }
    const succeeded = response.status >= 200 && response.status < 300;
    return {
      at,
      responseStatus: response.status,
      responseBody: response.body,
      responseHeaders: storedHeaders(response.allHeaders ?? {}),
      ...customHeaders,
      error: succeeded ? null : errorOfResponse(response.status),
      durationMs,
      retryAfter: response.headers.retryAfter,
      control: controlOf(response.headers.webhookDelivery),
    };
  };

  function observe({ attempt, lane, manual, createdAt }: SendableDelivery, result: AttemptResult): void {
    observer.onAttempt(attemptOutcome(result), result.durationMs / 1000);
    // Recovered deliveries start again at attempt 1, long after they were accepted; they are in the other lane.
    if (result.error === null && attempt === 1 && lane === 'inline' && !manual)
      observer.onFirstSuccess((clock.now().getTime() - createdAt.getTime()) / 1000);
  }

  const sendTraced = tracing ? traced(send, tracing) : send;
  return async (delivery, endpoint, credentials) => {
    const result = await sendTraced(delivery, endpoint, credentials);
    observe(delivery, result);
    return result;
  };
}

/** Wraps an attempt in a span. It records the URL's host alone: customers put secrets into paths and queries. */
const traced =
  (send: SendAttempt, { withSpan }: Tracing): SendAttempt =>
  (delivery, endpoint, credentials) =>
    withSpan(
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
        const result = await send(delivery, endpoint, credentials);
        if (result.responseStatus) span.set({ 'http.response.status_code': result.responseStatus });
        if (result.error) span.fail(result.error);
        return result;
      },
    );

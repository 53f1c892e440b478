import type { OutboundClient } from '../../../outbound/outbound-client.ts';
import type { OutboundResult } from '../../../outbound/outbound-request.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import type { EndpointDoc } from '../endpoints/endpoint.model.ts';
import type { EndpointCredentials } from '../endpoints/endpoint-secrets.ts';
import { signatureHeaders } from '../signature/sign.ts';

const USER_AGENT = 'engagement-webhooks/1';

interface EndpointRequest {
  /** Id of the event, constant over all attempts. */
  eventId: string;
  /** Exact body. */
  body: string;
  /** Headers besides those of every request to an endpoint. */
  headers?: Record<string, string>;
  at: Date;
  timeoutMs: number;
}

/** Creates the function that sends a request to an endpoint: signed, and with its custom headers. It never throws. */
export function createEndpointRequests({ outbound }: { outbound: Pick<OutboundClient, 'send'> }) {
  return (
    endpoint: Pick<EndpointDoc, 'url'>,
    { signing, headers }: EndpointCredentials,
    { eventId, body, headers: more, at, timeoutMs }: EndpointRequest,
  ): Promise<OutboundResult> =>
    outbound.send({
      url: endpoint.url,
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        ...more,
        ...signatureHeaders({ ...signing, eventId, body, t: unixSeconds(at) }),
      },
      body,
      timeoutMs,
    });
}

export type SendToEndpoint = ReturnType<typeof createEndpointRequests>;

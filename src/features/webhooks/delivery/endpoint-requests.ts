import type { OutboundClient } from '../../../outbound/outbound-client.ts';
import type { OutboundResult } from '../../../outbound/outbound-request.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import type { EndpointDoc } from '../endpoints/endpoint.model.ts';
import type { EndpointCredentials } from '../endpoints/endpoint-secrets.ts';
import { signatureHeaders } from '../signature/sign.ts';
import { WEBHOOK_USER_AGENT } from './attempt-headers.ts';
import type { MtlsClients } from './mtls-clients.ts';
import type { OAuthTokens } from './oauth-tokens.ts';
import { secretsOf, withoutSecrets } from './response-secrets.ts';

interface EndpointRequest {
  /** Id of the event, constant over all attempts. */
  eventId: string;
  /** Exact body. */
  body: string;
  /** Headers to add to the headers of every request to an endpoint. */
  headers?: Record<string, string>;
  at: Date;
  /** Time limit for everything, the request of a token included. */
  timeoutMs: number;
}

/** A response, or a failure whose code is one of `OutboundErrorCode`, `oauth_…` or `mtls_unreadable`. */
export type EndpointResponse =
  | Extract<OutboundResult, { ok: true }>
  | (Pick<Extract<OutboundResult, { ok: false }>, 'ok' | 'status' | 'durationMs'> & { error: string });

interface Deps {
  outbound: Pick<OutboundClient, 'send'>;
  tokens: OAuthTokens;
  mtlsClients: MtlsClients;
}

/**
 * Creates the function that sends a request to an endpoint: signed, with its custom headers, and authenticated as it
 * asks for. The response is without the values of custom headers, the signatures and the token. It never throws.
 */
export function createEndpointRequests({ outbound, tokens, mtlsClients }: Deps) {
  return async function sendToEndpoint(
    endpoint: EndpointDoc,
    { signing, headers, authentication }: EndpointCredentials,
    { eventId, body, headers: more, at, timeoutMs }: EndpointRequest,
  ): Promise<EndpointResponse> {
    const signed = signatureHeaders({ ...signing, eventId, body, t: unixSeconds(at) });
    const request = {
      url: endpoint.url,
      method: 'POST' as const,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': WEBHOOK_USER_AGENT,
        ...more,
        ...signed,
      },
      body,
    };
    const secrets = secretsOf({ custom: headers, signed });
    if (!authentication) return withoutSecrets(await outbound.send({ ...request, timeoutMs }), secrets);
    const owner = {
      key: `${endpoint.customerId}:${endpoint.id}`,
      version: JSON.stringify(endpoint.authentication),
    };
    if ('mtls' in authentication) {
      const client = mtlsClients.of({ ...owner, mtls: authentication.mtls });
      if (!client) return { ok: false, error: 'mtls_unreadable', status: undefined, durationMs: 0 };
      return withoutSecrets(await client.send({ ...request, timeoutMs }), secrets);
    }

    const { oauth2 } = authentication;
    const startedAt = performance.now();
    const elapsedMs = (): number => Math.round(performance.now() - startedAt);
    const failed = (error: string): EndpointResponse => ({
      ok: false,
      error,
      status: undefined,
      durationMs: elapsedMs(),
    });
    let refused: string | undefined;
    for (;;) {
      const token = await tokens.get(
        { ...owner, oauth2 },
        {
          timeoutMs,
          remainingMs: timeoutMs - elapsedMs(),
          refused,
        },
      );
      if (!token.ok) return failed(token.error);
      const remainingMs = timeoutMs - elapsedMs();
      if (remainingMs <= 0) return failed('oauth_timeout');
      const response = await outbound.send({
        ...request,
        headers: { ...request.headers, authorization: `Bearer ${token.token}` },
        timeoutMs: remainingMs,
      });
      const isRefused = response.ok && response.status === 401 && refused === undefined;
      if (!isRefused || elapsedMs() >= timeoutMs)
        return withoutSecrets({ ...response, durationMs: elapsedMs() }, [...secrets, token.token]);
      refused = token.token;
    }
  };
}

export type SendToEndpoint = ReturnType<typeof createEndpointRequests>;

import { randomBytes } from 'node:crypto';
import { AppError, invalid } from '../../../errors/app-error.ts';
import type { RateWindows } from '../../../limits/rate-windows.ts';
import { isProxyError } from '../../../outbound/outbound-errors.ts';
import { type Clock, unixSeconds } from '../../../platform/clock.ts';
import { isObject } from '../../../platform/is-object.ts';
import { newObjectId } from '../../../platform/mongo/object-id.ts';
import { VERIFICATION_EVENT } from '../../outbox/event-catalog.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { SendToEndpoint } from '../delivery/endpoint-requests.ts';
import type { EndpointDoc } from './endpoint.model.ts';
import type { EndpointSecrets } from './endpoint-secrets.ts';

interface Deps {
  sendToEndpoint: SendToEndpoint;
  secrets: Pick<EndpointSecrets, 'credentialsOf'>;
  windows: RateWindows;
  clock: Clock;
  timeoutMs: number;
  /** Verifies the URLs of all tenants, not only of those with `verifyEndpoints`. */
  required: boolean;
}

/**
 * Returns true if a response body is JSON with the challenge as `challenge`. The request has it below `data`, so that a
 * server that returns every request body does not confirm by accident.
 */
function confirms(body: string, challenge: string): boolean {
  try {
    const answer: unknown = JSON.parse(body);
    return isObject(answer) && answer.challenge === challenge;
  } catch {
    return false;
  }
}

/** Returns a function that asks a receiver whether it accepts a tenant's events, if the tenant or the operator requires it. */
export function createUrlVerification({
  sendToEndpoint,
  secrets,
  windows,
  clock,
  timeoutMs,
  required,
}: Deps) {
  /**
   * @param endpoint with the new URL; the challenge is sent as its deliveries are
   * @throws AppError `VALIDATION_FAILED` when the receiver does not confirm; `RATE_LIMITED` beyond ten per minute;
   *   `SERVICE_UNAVAILABLE` when the process is stopping or its proxy failed
   */
  return async function verifyUrl(tenant: Tenant, endpoint: EndpointDoc): Promise<void> {
    if (!required && !tenant.verifyEndpoints) return;
    const { customerId, orgId } = tenant;
    await windows.count('challenges', customerId);
    const now = clock.now();
    const challenge = randomBytes(32).toString('base64url');
    const body = JSON.stringify({
      event: VERIFICATION_EVENT,
      data: { customerId, orgId, challenge },
      ts: unixSeconds(now),
    });
    const response = await sendToEndpoint(endpoint, secrets.credentialsOf(endpoint), {
      eventId: newObjectId(now).toHexString(),
      body,
      at: now,
      timeoutMs,
    });
    if (!response.ok && response.error === 'aborted')
      throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping; retry the request.');
    if (!response.ok && isProxyError(response.error))
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The URL could not be verified: the outbound proxy of the service failed (${response.error}); retry the request.`,
      );
    const succeeded = response.ok && response.status >= 200 && response.status < 300;
    if (succeeded && confirms(response.body, challenge)) return;
    const status = succeeded ? 'another body' : response.ok ? `http_${response.status}` : response.error;
    throw invalid(
      'url',
      `The receiver did not confirm the URL (${status}). Within ${timeoutMs / 1000} s, it must respond to the event ${VERIFICATION_EVENT} with a 2xx status and the JSON { "challenge": <data.challenge of the request> }; redirects are not followed.`,
    );
  };
}

export type VerifyUrl = ReturnType<typeof createUrlVerification>;

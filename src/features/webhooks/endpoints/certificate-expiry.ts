import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { EndpointStore } from './endpoint.store.ts';

/** How long before its expiry a client certificate is logged. Milliseconds. */
const WARNING_MS = 30 * 24 * 60 * 60 * 1000;
/** Maximum number of endpoints that one run logs, those that expire first. */
const MAX_LOGGED = 100;

/** Creates the job that logs client certificates of endpoints that expire soon or have expired. */
export const createCertificateCheck =
  ({
    endpoints,
    clock,
    log,
  }: {
    endpoints: Pick<EndpointStore, 'withCertificatesUntil'>;
    clock: Clock;
    log: Logger;
  }) =>
  async (): Promise<void> => {
    const until = new Date(clock.now().getTime() + WARNING_MS);
    for (const { id, customerId, authentication } of await endpoints.withCertificatesUntil(until, MAX_LOGGED))
      log.warn(
        { customerId, endpointId: id, expiresAt: authentication?.mtls?.certificateExpiresAt },
        'the client certificate of a webhook endpoint expires soon or has expired',
      );
  };

import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { CERTIFICATE_WARNING_DAYS } from '../../../shared/endpoint-limits.ts';
import type { EndpointStore } from './endpoint.store.ts';

const WARNING_MS = CERTIFICATE_WARNING_DAYS * 24 * 60 * 60 * 1000;
/** Maximum number of certificates that one run logs: of those that expire soon, the next ones, and of the expired, the latest. */
const MAX_LOGGED = 100;

/** Creates the job that logs client certificates of endpoints that expire soon or have expired. */
export const createCertificateCheck =
  ({
    endpoints,
    clock,
    log,
  }: {
    endpoints: Pick<EndpointStore, 'withCertificatesExpiring'>;
    clock: Clock;
    log: Logger;
  }) =>
  async (): Promise<void> => {
    const now = clock.now();
    const until = new Date(now.getTime() + WARNING_MS);
    // Apart, so that certificates that have expired for long do not hide those that expire next.
    const found = await Promise.all([
      endpoints.withCertificatesExpiring({ $gte: now, $lt: until }, { sort: 1, limit: MAX_LOGGED }),
      endpoints.withCertificatesExpiring({ $lt: now }, { sort: -1, limit: MAX_LOGGED }),
    ]);
    for (const { id, customerId, authentication } of found.flat())
      log.warn(
        { customerId, endpointId: id, expiresAt: authentication?.mtls?.certificateExpiresAt },
        'the client certificate of a webhook endpoint expires soon or has expired',
      );
  };

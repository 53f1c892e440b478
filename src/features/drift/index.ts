import type { Config } from '../../config.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import { createOutboundClient } from '../../outbound/outbound-client.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import { driftService } from './drift.service.ts';
import type { DriftStatus } from './drift.types.ts';
import { createSidecarClient } from './sidecar.client.ts';

interface Deps {
  /** Null if no sidecar is configured. */
  sidecarAddress: SidecarAddress | null;
  config: Pick<Config, 'mlSidecarTimeoutMs' | 'driftCheckSchedule'>;
  observe: (drift: Pick<DriftStatus, 'driftScore' | 'isDrifted' | 'featureDrifts'>) => void;
  log: Logger;
}

/** Creates drift monitoring: the service and the scheduled check. */
export function createDrift({ sidecarAddress, config, observe, log }: Deps) {
  // A separate client: the operator's URL may be private, so its connections must not be shared with tenants' targets.
  const outbound = createOutboundClient({ allowPrivate: true, maxWireBytes: 5_000_000 });
  const sidecar = createSidecarClient({
    address: sidecarAddress,
    timeoutMs: config.mlSidecarTimeoutMs,
    outbound,
    log,
  });
  const drift = driftService({ sidecar, observe, log });
  const jobs: RecurringJob[] =
    config.driftCheckSchedule === null || sidecarAddress === null
      ? []
      : [{ name: 'drift.check', every: config.driftCheckSchedule, once: true, run: () => drift.check() }];

  return {
    services: { drift },
    sidecar,
    jobs,
    close: () => outbound.close(500),
  };
}

import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ActivityReprojection } from '../meetings.types.ts';
import { perMinute, remainingSeconds } from '../progress-estimate.ts';
import type { ReprojectedMapping, ReprojectionStore } from './reprojection.store.ts';

/** Returns the re-projection of a mapping for clients. */
export function toReprojection({ version, reprojection }: ReprojectedMapping): ActivityReprojection {
  const { status, total, done, withoutRecord, skipped, activeMs, startedAt, finishedAt } = reprojection;
  const share = total && status === 'running' ? done / total : null;
  return {
    mappingVersion: version,
    status,
    total,
    done,
    withoutRecord,
    skipped,
    startedAt,
    finishedAt,
    activitiesPerMinute: perMinute({ activeMs, done }),
    estimatedRemainingSeconds: remainingSeconds(activeMs, share),
  };
}

/** Reports the progress of re-projections. */
export const reprojectionService = ({ reprojections }: { reprojections: ReprojectionStore }) => ({
  /** Returns the re-projection by the current mapping; null if the mapping was never changed. */
  async find(tenant: Tenant): Promise<ActivityReprojection | null> {
    const found = await reprojections.find(tenant);
    return found && toReprojection(found);
  },
});

export type ReprojectionService = ReturnType<typeof reprojectionService>;

import type { Changes } from '../../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import type { MappingDoc } from '../mapping/mapping.model.ts';
import type { ActivityReprojection } from '../meetings.types.ts';
import { perMinute, remainingSeconds } from '../progress-estimate.ts';
import { visibleChanges } from '../visible-changes.ts';
import type { ReprojectedMapping, ReprojectionStore } from './reprojection.store.ts';

const isReprojected = (mapping: MappingDoc): mapping is ReprojectedMapping =>
  mapping.reprojection !== undefined;

function toReprojection({ version, reprojection }: ReprojectedMapping): ActivityReprojection {
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

export const reprojectionService = ({ reprojections }: { reprojections: ReprojectionStore }) => ({
  /** Returns the re-projection by the current mapping; null if the mapping was never changed. */
  async find(tenant: Tenant): Promise<ActivityReprojection | null> {
    const found = await reprojections.find(tenant);
    return found && toReprojection(found);
  },
});

export type ReprojectionService = ReturnType<typeof reprojectionService>;

/** Publishes the progress of re-projections in all processes. */
export const createReprojectionFeed = (changes: Changes) => ({
  subscribe: (
    principal: Principal,
    tenant: Tenant,
    position: FeedPosition,
  ): Promise<Feed<ActivityReprojection>> =>
    tenantFeed<MappingDoc, ActivityReprojection>(changes, {
      collection: 'recorderMappings',
      principal,
      tenant,
      ...position,
      convert: visibleChanges((mapping: MappingDoc) =>
        isReprojected(mapping) ? toReprojection(mapping) : null,
      ),
    }),
});

export type ReprojectionFeed = ReturnType<typeof createReprojectionFeed>;

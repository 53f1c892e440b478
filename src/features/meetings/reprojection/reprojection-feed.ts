import type { Changes } from '../../../platform/mongo/change-stream.ts';
import { type Feed, type FeedPosition, tenantFeed } from '../../tenants/tenant-feed.ts';
import type { Principal, Tenant } from '../../tenants/tenants.types.ts';
import type { MappingDoc } from '../mapping/mapping.model.ts';
import type { ActivityReprojection } from '../meetings.types.ts';
import { visibleChanges } from '../visible-changes.ts';
import { toReprojection } from './reprojection.service.ts';
import type { ReprojectedMapping } from './reprojection.store.ts';

const isReprojected = (mapping: MappingDoc): mapping is ReprojectedMapping =>
  mapping.reprojection !== undefined;

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

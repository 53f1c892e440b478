import type { Model } from 'mongoose';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { DEFAULT_MAPPING } from '../../../shared/field-mapping.ts';
import type { FieldMapping, VersionedMapping } from '../meetings.types.ts';
import type { MappingDoc, ReprojectionState } from './mapping.model.ts';

/** A new re-projection, which any process may claim. */
const requested = (at: Date): ReprojectionState => ({
  status: 'running',
  total: null,
  done: 0,
  withoutRecord: 0,
  skipped: 0,
  activeMs: 0,
  startedAt: at,
  finishedAt: null,
  claims: 0,
  dueAt: at,
});

export const mappingStore = ({ FieldMappings }: { FieldMappings: Model<MappingDoc> }) => ({
  /** Returns the tenant's own mapping, or the default. */
  async find({ customerId }: TenantRef): Promise<VersionedMapping> {
    const own = await FieldMappings.findById(customerId, { mappings: 1, version: 1 }).lean<MappingDoc>();
    return own
      ? { version: own.version ?? 0, fields: own.mappings }
      : { version: 0, fields: DEFAULT_MAPPING };
  },

  /** Replaces the mapping and requests the re-projection of the activities in one write. */
  replace: ({ customerId }: TenantRef, mappings: FieldMapping[], at: Date) =>
    FieldMappings.updateOne(
      { _id: customerId },
      { $set: { customerId, mappings, reprojection: requested(at) }, $inc: { version: 1 } },
      { upsert: true },
    ),
});

export type MappingStore = ReturnType<typeof mappingStore>;

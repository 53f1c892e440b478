import type { Model } from 'mongoose';
import type { FieldMapping, Owner, VersionedMapping } from '../meetings.types.ts';
import { DEFAULT_MAPPING } from './default-mapping.ts';
import type { MappingDoc, ReprojectionState } from './mapping.model.ts';

/** Returns the state of a re-projection that any process may claim. */
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

export const mappingStore = ({ RecorderMapping }: { RecorderMapping: Model<MappingDoc> }) => ({
  /** Returns the tenant's own mapping, or the default. */
  async find({ customerId }: Owner): Promise<VersionedMapping> {
    const own = await RecorderMapping.findById(customerId, { mappings: 1, version: 1 }).lean<MappingDoc>();
    return own
      ? { version: own.version ?? 0, fields: own.mappings }
      : { version: 0, fields: DEFAULT_MAPPING };
  },

  /** Replaces the mapping, and requests the re-projection of the activities with it. */
  replace: ({ customerId }: Owner, mappings: FieldMapping[], at: Date) =>
    RecorderMapping.updateOne(
      { _id: customerId },
      { $set: { customerId, mappings, reprojection: requested(at) }, $inc: { version: 1 } },
      { upsert: true },
    ),
});

export type MappingStore = ReturnType<typeof mappingStore>;

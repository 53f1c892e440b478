import type { Model } from 'mongoose';
import type { FieldMapping, Owner, VersionedMapping } from '../meetings.types.ts';
import { DEFAULT_MAPPING } from './default-mapping.ts';
import type { MappingDoc } from './mapping.model.ts';

export const mappingStore = ({ RecorderMapping }: { RecorderMapping: Model<MappingDoc> }) => ({
  /** Returns the tenant's own mapping, or the default. */
  async find({ customerId }: Owner): Promise<VersionedMapping> {
    const own = await RecorderMapping.findById(customerId, { mappings: 1, version: 1 }).lean<MappingDoc>();
    return own
      ? { version: own.version ?? 0, fields: own.mappings }
      : { version: 0, fields: DEFAULT_MAPPING };
  },

  replace: ({ customerId }: Owner, mappings: FieldMapping[]) =>
    RecorderMapping.updateOne(
      { _id: customerId },
      { $set: { mappings }, $inc: { version: 1 } },
      { upsert: true },
    ),
});

export type MappingStore = ReturnType<typeof mappingStore>;

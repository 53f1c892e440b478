import type { Model } from 'mongoose';
import type { FieldMapping, Owner } from '../meetings.types.ts';
import { DEFAULT_MAPPING } from './default-mapping.ts';
import type { MappingDoc } from './mapping.model.ts';

export const mappingStore = ({ RecorderMapping }: { RecorderMapping: Model<MappingDoc> }) => ({
  /** Returns the tenant's own mapping, or the default. */
  find: async ({ customerId }: Owner): Promise<readonly FieldMapping[]> =>
    (await RecorderMapping.findById(customerId).lean<MappingDoc>())?.mappings ?? DEFAULT_MAPPING,

  save: ({ customerId }: Owner, mappings: FieldMapping[]) =>
    RecorderMapping.updateOne({ _id: customerId }, { $set: { mappings } }, { upsert: true }),
});

export type MappingStore = ReturnType<typeof mappingStore>;

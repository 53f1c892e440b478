import { AppError } from '../../../errors/app-error.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { FieldMapping } from '../meetings.types.ts';
import type { MappingStore } from './mapping.store.ts';
import { mappingProblems } from './mapping-validation.ts';

/** Reads and replaces a tenant's field mapping. */
export const mappingService = ({ mappings }: { mappings: MappingStore }) => ({
  /** Returns the tenant's own mapping, or the default. */
  get: async (tenant: Tenant): Promise<FieldMapping[]> => [...(await mappings.find(tenant))],

  /** Replaces the mapping; it applies to meetings synced from then on. @throws AppError `VALIDATION_FAILED` */
  async replace(tenant: Tenant, mapping: FieldMapping[]): Promise<FieldMapping[]> {
    const details = mappingProblems(mapping);
    if (details.length > 0)
      throw new AppError(
        'VALIDATION_FAILED',
        'The field mapping is not valid. Correct the fields listed in the details.',
        { details },
      );
    await mappings.save(tenant, mapping);
    return mapping;
  },
});

export type MappingService = ReturnType<typeof mappingService>;

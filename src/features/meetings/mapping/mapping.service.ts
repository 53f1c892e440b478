import { AppError } from '../../../errors/app-error.ts';
import { CipherError } from '../../../platform/cipher.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { FieldMapping, FieldMappingPreview } from '../meetings.types.ts';
import type { ProviderRecordStore } from '../provider-records/provider-records.store.ts';
import { toActivity } from '../stored-meetings/meeting-documents.ts';
import { toActivityView, toMappable } from '../stored-meetings/meeting-views.ts';
import type { MeetingStore } from '../stored-meetings/meetings.store.ts';
import { mapField } from './field-mapper.ts';
import type { MappingStore } from './mapping.store.ts';
import { mappingProblems } from './mapping-validation.ts';

interface Deps {
  mappings: MappingStore;
  meetings: Pick<MeetingStore, 'find' | 'newest'>;
  providerRecords: ProviderRecordStore;
  /** Makes the job that re-projects activities due now. */
  requestReprojection: () => Promise<void>;
  clock: Clock;
  log: Logger;
}

/** @throws AppError `VALIDATION_FAILED` */
function assertValid(mapping: readonly FieldMapping[]): void {
  const details = mappingProblems(mapping);
  if (details.length > 0)
    throw new AppError(
      'VALIDATION_FAILED',
      'The field mapping is not valid. Correct the fields listed in the details.',
      { details },
    );
}

/** Reads, previews and replaces a tenant's field mapping. */
export function mappingService({
  mappings,
  meetings,
  providerRecords,
  requestReprojection,
  clock,
  log,
}: Deps) {
  /** Returns the provider's record of a meeting; undefined if it is not stored. */
  async function recordOf(tenant: Tenant, meetingKey: string): Promise<unknown> {
    try {
      for await (const { record } of providerRecords.read(tenant, [meetingKey])) return record;
      return undefined;
    } catch (error) {
      if (!(error instanceof CipherError)) throw error;
      throw new AppError(
        'NOT_CONFIGURED',
        "The provider's records cannot be decrypted with the encryption keys of the service. Connect again.",
        { cause: error },
      );
    }
  }

  return {
    /** Returns the tenant's own mapping, or the default. */
    get: async (tenant: Tenant): Promise<FieldMapping[]> => [...(await mappings.find(tenant)).fields],

    /**
     * Applies a mapping to a stored meeting, and saves nothing.
     *
     * @param recorderMeetingId null for the meeting with the latest start
     * @returns null when the tenant has no such meeting
     * @throws AppError `VALIDATION_FAILED`; `NOT_CONFIGURED` if the record cannot be decrypted
     */
    async preview(
      tenant: Tenant,
      mapping: FieldMapping[],
      recorderMeetingId: string | null,
    ): Promise<FieldMappingPreview | null> {
      assertValid(mapping);
      const stored =
        recorderMeetingId === null
          ? await meetings.newest(tenant)
          : await meetings.find(tenant, recorderMeetingId);
      if (!stored) return null;
      const record = await recordOf(tenant, stored._id);
      const meeting = toMappable(stored, record);
      return {
        recorderMeetingId: stored.recorderMeetingId,
        hasRecord: record !== undefined,
        fields: mapping.map((field) => ({ ...field, ...mapField(field, meeting) })),
        activity: toActivityView(toActivity(tenant, meeting, { version: 0, fields: mapping })),
      };
    },

    /** Replaces the mapping; the activities are re-projected in the background. @throws AppError `VALIDATION_FAILED` */
    async replace(tenant: Tenant, mapping: FieldMapping[]): Promise<FieldMapping[]> {
      assertValid(mapping);
      await mappings.replace(tenant, mapping, clock.now());
      // The mapping is stored: without the request, the job starts at its next time.
      await requestReprojection().catch((error: unknown) =>
        log.warn({ err: error, ...tenant }, 'failed to request a re-projection'),
      );
      return mapping;
    },
  };
}

export type MappingService = ReturnType<typeof mappingService>;

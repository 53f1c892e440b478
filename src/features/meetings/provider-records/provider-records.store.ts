import type { Model } from 'mongoose';
import { rawReads } from '../../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { ProviderRecordDoc } from './provider-records.model.ts';
import { decryptRecord } from './record-codec.ts';
import type { RecordKeyStore } from './record-keys.store.ts';

interface Deps {
  models: { MeetingProviderRecord: Model<ProviderRecordDoc> };
  recordKeys: Pick<RecordKeyStore, 'find'>;
}

export const providerRecordStore = ({ models: { MeetingProviderRecord }, recordKeys }: Deps) => ({
  /**
   * Streams the records of meetings; omits those that are not stored or not readable.
   *
   * @param meetingKeys ids of the stored meetings
   * @throws CipherError if none of the encryption keys decrypts the data key of the tenant
   */
  async *read(
    tenant: TenantRef,
    meetingKeys: readonly string[],
  ): AsyncGenerator<{ meetingKey: string; record: unknown }> {
    const key = await recordKeys.find(tenant);
    if (!key) return;
    const found = rawReads(MeetingProviderRecord).find({
      customerId: tenant.customerId,
      _id: { $in: [...meetingKeys] },
    });
    for await (const document of found) {
      const record = decryptRecord(key, document);
      if (record !== undefined) yield { meetingKey: document._id, record };
    }
  },
});

export type ProviderRecordStore = ReturnType<typeof providerRecordStore>;

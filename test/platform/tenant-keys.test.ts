import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/models.ts';
import { recordKeyStore } from '../../src/features/meetings/provider-records/record-keys.store.ts';
import { privacyKeyStore } from '../../src/features/privacy/privacy-keys.store.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import { UNCACHED } from '../support/decrypted.ts';
import { startTestMongo } from '../support/mongo.ts';

const OWNER = { customerId: 7 };
const cipher = createCipher(['a'.repeat(64)]);

test('the first key of a tenant is used once no failover undoes it', async () => {
  const mongo = await startTestMongo({ members: 3 });
  onTestFinished(() => mongo.stop());
  const { connection, models } = await openDatabase(mongo.uri);
  onTestFinished(() => connection.close());
  const stores = [
    privacyKeyStore(models, { cipher, coherence: UNCACHED, hasTenant: async () => true }),
    recordKeyStore(models, cipher),
  ];
  await mongo.lockSecondaries();
  // Created by another process, whose write no majority has yet.
  const acknowledged = { writeConcern: { w: 1 } };
  const encrypted = (owner: string) => cipher.encrypt(Buffer.alloc(32, 'k').toString('base64'), owner);
  await models.PrivacyKey.collection.insertOne(
    { _id: OWNER.customerId, encryptedKey: encrypted('privacy:7') } as never,
    acknowledged,
  );
  await models.MeetingRecordKey.collection.insertOne(
    { _id: OWNER.customerId, keyId: 'first', encryptedKey: encrypted('meetingRecords:7') } as never,
    acknowledged,
  );
  for (const keys of stores) expect(await keys.find(OWNER)).toBeNull();
  const used = stores.map((keys) => keys.findOrCreate(OWNER));
  await mongo.unlockSecondaries();
  const found = await Promise.all(used);
  expect(found.map(({ id }) => id)).toEqual([(await stores[0]?.find(OWNER))?.id, 'first']);
}, 60_000);

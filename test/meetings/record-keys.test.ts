import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/models.ts';
import { recordKeyStore } from '../../src/features/meetings/provider-records/record-keys.store.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import { freshDatabase } from '../support/databases.ts';

const OWNER = { customerId: 7 };

test('a data key that cannot be decrypted is replaced once', async () => {
  const { connection, models } = await openDatabase(freshDatabase());
  onTestFinished(() => connection.close());
  const lost = await recordKeyStore(models, createCipher(['a'.repeat(64)])).findOrCreate(OWNER);
  const keys = recordKeyStore(models, createCipher(['b'.repeat(64)]));
  const used = await Promise.all(
    Array.from({ length: 20 }, async () => {
      await keys.prepare(OWNER);
      return (await keys.find(OWNER))?.id;
    }),
  );
  expect(new Set(used).size).toBe(1);
  expect(used[0]).not.toBe(lost.id);
});

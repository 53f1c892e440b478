import { mongo } from 'mongoose';
import { PERSONAL_FIELDS } from '../../src/database/personal-collections.ts';
import { providerRecordStore } from '../../src/features/meetings/provider-records/provider-records.store.ts';
import { recordKeyStore } from '../../src/features/meetings/provider-records/record-keys.store.ts';
import { POSTINGS_FIELDS } from '../../src/features/meetings/search/search-index.model.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import { eventually, type TestApp, type TestTenant } from '../support/app.ts';
import { decrypted } from '../support/decrypted.ts';

/** A key that the service and the tests share. */
export const ENCRYPTION_KEY = '7a'.repeat(32);

export const ERASE = `mutation ($input: ErasePersonInput!) {
  erasePerson(input: $input) { id status dryRun suppress deliveries counts { kind count } createdBy startedAt finishedAt error }
}`;
export const ERASURE = `query ($id: ID!) {
  erasure(id: $id) { id status dryRun suppress counts { kind count } error finishedAt }
}`;

export interface ErasureView {
  id: string;
  status: 'running' | 'completed' | 'aborted';
  dryRun: boolean;
  suppress: boolean;
  counts: { kind: string; count: number }[];
  createdBy: string | null;
  startedAt: string;
  finishedAt: string | null;
  error: string | null;
}

/** The counts above 0, by kind. */
export const countsOf = ({ counts }: Pick<ErasureView, 'counts'>): Record<string, number> =>
  Object.fromEntries(counts.filter(({ count }) => count > 0).map(({ kind, count }) => [kind, count]));

/** Starts an erasure and waits for its end. */
export async function erase(
  app: TestApp,
  tenant: TestTenant,
  input: Record<string, unknown>,
): Promise<ErasureView> {
  const { body } = await app.graphql(ERASE, { input }, tenant.write);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  const started = body.data?.erasePerson as unknown as ErasureView;
  return started.status === 'running' ? endedErasure(app, tenant, started.id) : started;
}

export const endedErasure = (app: TestApp, tenant: TestTenant, id: string): Promise<ErasureView> =>
  eventually(async () => {
    const { body } = await app.graphql(ERASURE, { id }, tenant.read);
    const found = body.data?.erasure as unknown as ErasureView;
    return found.status === 'running' ? undefined : found;
  }, 60_000);

/** Returns everything that the database holds of a tenant, and of no tenant, as it is stored. */
export async function stored(app: TestApp, { customerId }: Pick<TestTenant, 'customerId'>): Promise<string> {
  const db = app.models.Tenant.db.db as unknown as mongo.Db;
  const parts: string[] = [];
  const collections = await db.listCollections({ name: { $not: /^system\./ } }, { nameOnly: true }).toArray();
  for (const { name } of collections)
    for await (const document of db.collection(name).find({ customerId: { $in: [customerId, null] } }))
      parts.push(Buffer.from(mongo.BSON.serialize(document)).toString('latin1'));
  return parts.join('\n');
}

/**
 * Returns everything that the database holds, with what is encrypted or binary in plain text, so that a search in it
 * finds every trace.
 */
export async function dump(app: TestApp): Promise<string> {
  const { models } = app;
  const db = models.Tenant.db.db as unknown as mongo.Db;
  const cipher = createCipher([ENCRYPTION_KEY]);
  const parts: string[] = [];
  for (const { name } of await db.listCollections().toArray())
    for await (const stored of db.collection(name).find()) {
      const personal = [...PERSONAL_FIELDS, POSTINGS_FIELDS].find(({ collection }) => collection === name);
      const [document = stored] = personal ? await decrypted(app, personal, [stored as never]) : [];
      parts.push(`${name} ${mongo.BSON.EJSON.stringify(document)}`);
      if (name === 'meetingPostings')
        for (const { buffer } of document.parts as mongo.Binary[])
          parts.push(Buffer.from(buffer).toString('latin1'));
      if (name === 'idempotencyKeys')
        for (const field of ['result', 'response'])
          if (document[field]) parts.push(cipher.decrypt(document[field], `idempotency:${document._id}`));
    }
  const records = providerRecordStore({ models, recordKeys: recordKeyStore(models, cipher) });
  for (const { _id, customerId } of await models.MeetingProviderRecord.find().lean())
    for await (const { record } of records.read({ customerId }, [_id])) parts.push(JSON.stringify(record));
  return parts.join('\n').toLowerCase();
}

import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import {
  type Connector,
  connectedTenant,
  meetingOf,
  searchedIds,
  startConnector,
  syncOf,
} from '../meetings/support.ts';
import { eventually, type TestTenant } from '../support/app.ts';
import { IS_ENCRYPTED } from '../support/encryption-environment.ts';
import { countsOf, erase, stored } from './privacy-support.ts';

const HOST = { name: 'Hedda Host', email: 'hedda@acme.example', role: 'host' };
const GUEST = { name: 'Gustav Guest', email: 'gustav@other.example', role: 'guest' };
const NAMESAKES = ['Zoe Quist2', '2Zoe Quist', 'Zoe Quistner'];
const PERSON_ID = 'personqvz931';
const PHONE = '+49 170 1234567';
const LITERAL = 'Written as Zo\\u00e9 Quist';

const meetingWith = (id: string, names: string[], text: string): MeetingJson => ({
  id,
  title: 'Review',
  created_at: new Date(Date.now() - 3_600_000).toISOString(),
  started_at: new Date(Date.now() - 3_600_000).toISOString(),
  duration_seconds: 600,
  participants: [HOST, GUEST, ...names.map((name) => ({ name, email: null, role: 'guest' }))],
  transcript: [{ speaker: HOST.name, text, start_time: 0, end_time: 5 }],
  summary: null,
});

let connector: Connector;

beforeAll(async () => {
  connector = await startConnector({
    meetings: [
      meetingWith('namesakes', NAMESAKES, LITERAL),
      meetingWith('own', ['Zoe Quist'], 'To Zoe Quist'),
      meetingWith('record', [], `Ask ${PERSON_ID} for it`),
      meetingWith('phone', [], `Call ${PHONE} for it`),
    ],
  });
});
afterAll(() => connector.stop());

test('an erasure leaves names that only contain those of the person, and ends', async () => {
  const { app } = connector;
  const tenant = await connectedTenant(app);
  await syncOf(app, tenant);
  const { body } = await app.graphql(
    'mutation { startConversation(input: { visitorId: "v_zoe" }) { id } }',
    {},
    tenant.write,
  );
  const started = body.data?.startConversation as unknown as { id: string } | undefined;
  await app.graphql(
    'mutation ($id: ID!, $input: IdentityInput!) { resolveIdentity(conversationId: $id, identity: $input) { id } }',
    {
      id: started?.id,
      input: { resolvedPersonId: 'p_zoe', email: 'zoe@example.com', firstName: 'Zoé', lastName: 'Quist' },
    },
    tenant.write,
  );

  const erasure = await erase(app, tenant, { email: 'zoe@example.com', suppress: false });
  expect(erasure).toMatchObject({ status: 'completed', error: null });
  expect(countsOf(erasure)).toMatchObject({ meeting_participations: 1 });
  const names = (participants: unknown) => (participants as { name: string }[]).map(({ name }) => name);
  const namesakes = await meetingOf(app, tenant, 'namesakes');
  expect(names(namesakes?.participantsJson)).toEqual([HOST.name, GUEST.name, ...NAMESAKES]);
  expect(namesakes?.transcriptJson).toMatchObject([{ text: LITERAL }]);
  const own = await meetingOf(app, tenant, 'own');
  expect(names(own?.participantsJson)).toEqual([HOST.name, GUEST.name]);
  expect(own?.transcriptJson).toMatchObject([{ text: 'To [erased]' }]);
});

test('an erasure removes the words of ids from the search index', async () => {
  const { app } = connector;
  const tenant = await connectedTenant(app);
  await syncOf(app, tenant);
  await eventually(async () => (await searchedIds(app, tenant, PERSON_ID)).length === 1 || undefined, 30_000);
  expect((await stored(app, tenant)).includes(PERSON_ID)).toBe(!IS_ENCRYPTED);

  const erasure = await erase(app, tenant, { resolvedPersonId: PERSON_ID, suppress: false });
  expect(erasure).toMatchObject({ status: 'completed', error: null });
  expect(countsOf(erasure)).toMatchObject({ redacted_texts: 1, search_postings: 1 });
  expect(await searchedIds(app, tenant, PERSON_ID)).toEqual([]);
  expect(await stored(app, tenant)).not.toContain(PERSON_ID);
});

/** Connects a tenant whose index has the phone number, which a visitor has written as well. */
async function tenantWithPhone(): Promise<TestTenant> {
  const { app } = connector;
  const tenant = await connectedTenant(app);
  await syncOf(app, tenant);
  await eventually(async () => (await searchedIds(app, tenant, '1234567')).length === 1 || undefined, 30_000);
  expect((await stored(app, tenant)).includes('1234567')).toBe(!IS_ENCRYPTED);
  const { body } = await app.graphql(
    'mutation { startConversation(input: { visitorId: "v_phone" }) { id } }',
    {},
    tenant.write,
  );
  const started = body.data?.startConversation as unknown as { id: string };
  await app.graphql(
    'mutation ($id: ID!, $text: String!) { appendMessages(conversationId: $id, messages: [{ role: visitor, text: $text }]) { id } }',
    { id: started.id, text: `My number is ${PHONE}` },
    tenant.write,
  );
  return tenant;
}

test('an erasure removes the groups of digits of a phone number from the search index', async () => {
  const { app } = connector;
  const tenant = await tenantWithPhone();

  const erasure = await erase(app, tenant, { visitorId: 'v_phone', suppress: false });
  expect(erasure).toMatchObject({ status: 'completed', error: null });
  expect(countsOf(erasure)).toMatchObject({ redacted_texts: 1, search_postings: 1 });
  expect(await searchedIds(app, tenant, '1234567')).toEqual([]);
  expect(await stored(app, tenant)).not.toContain('1234567');
});

test('an erasure removes a phone number from a meeting that is indexed while it is erased', async () => {
  const { app } = connector;
  const tenant = await tenantWithPhone();
  const { customerId } = tenant;
  const _id = `${customerId}:phone`;
  const { indexedAs } = (await app.models.Meeting.findOne({ customerId, _id }).lean()) ?? {};
  expect(indexedAs).toBeGreaterThanOrEqual(0);
  // As before the indexer has published it.
  await app.models.Meeting.updateOne({ customerId, _id }, { $set: { indexedAs: null } });
  let isIndexed = false;
  const { updateOne } = mongo.Collection.prototype;
  mongo.Collection.prototype.updateOne = async function (filter, update, options) {
    if (this.collectionName === 'meetings' && filter?._id === _id && !isIndexed) {
      isIndexed = true;
      await updateOne.call(this, { customerId, _id } as never, { $set: { indexedAs } });
    }
    return updateOne.call(this, filter, update, options);
  };
  onTestFinished(() => {
    mongo.Collection.prototype.updateOne = updateOne;
  });

  const erasure = await erase(app, tenant, { visitorId: 'v_phone', suppress: false });
  expect(erasure).toMatchObject({ status: 'completed', error: null });
  expect(isIndexed).toBe(true);
  expect(await searchedIds(app, tenant, '1234567')).toEqual([]);
  expect(await stored(app, tenant)).not.toContain('1234567');
});

test('an erasure ends while another one of the customer removes words', async () => {
  const { app } = connector;
  const tenant = await connectedTenant(app);
  await syncOf(app, tenant);
  const { customerId } = tenant;
  const mark = { $addToSet: { erasedGroups: 0 } };
  const { updateOne } = mongo.Collection.prototype;
  let removals = 0;
  // As the other erasure, which marks a group in each of its batches.
  mongo.Collection.prototype.updateOne = async function (filter, update, options) {
    const result = await updateOne.call(this, filter, update, options);
    if (JSON.stringify([filter?._id, update]).startsWith(`[${customerId},{"$pullAll":{"erasedGroups"`)) {
      removals += 1;
      await updateOne.call(this, { _id: customerId } as never, mark);
    }
    return result;
  };
  onTestFinished(() => {
    mongo.Collection.prototype.updateOne = updateOne;
  });
  const { MeetingSearchState } = app.models;
  await MeetingSearchState.updateOne({ _id: customerId }, mark);

  const unknown = { resolvedPersonId: 'p_unknown', suppress: false };
  for (const dryRun of [true, false]) {
    const erasure = await erase(app, tenant, { ...unknown, dryRun });
    expect(erasure).toMatchObject({ status: 'completed', error: null });
    expect(countsOf(erasure)).toEqual({});
  }
  expect(removals).toBe(1);
});

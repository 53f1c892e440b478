import { Readable, Writable } from 'node:stream';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { readLines } from '../../src/platform/read-lines.ts';
import {
  type Connector,
  connectedTenant,
  meetingOf,
  searchedIds,
  startConnector,
  syncOf,
} from '../meetings/support.ts';
import { hookOf, newSigningSecret, send, signed } from '../meetings/webhook-support.ts';
import { eventually, type Json, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { countsOf, dump, ENCRYPTION_KEY, erase } from './privacy-support.ts';

/** What only the person has: in every place that can hold it. */
const EMAIL = 'Zebulon.Quist@Planted.example';
const NAME = 'Zebulon Quistgaard';
const VISITOR = 'v_planted_visitor_1';
const PERSON = 'p_planted_person_1';
const PHONE = '+49 30 5557 0199';
const WORDS = {
  message: 'plantedmessagetext',
  goal: 'plantedgoal',
  handoff: 'plantedhandoffreason',
  property: 'plantedproperty',
  title: 'plantedtitle',
  summary: 'plantedsummary',
  spoken: 'plantedspoken',
  answered: 'plantedanswered',
  record: 'plantedrecord',
  job: 'plantedjobtitle',
  company: 'plantedcompany',
  resolved: 'plantedresolvedcompany',
  outcome: 'plantedoutcome',
  event: 'plantedeventgoal',
  key: 'planted-idempotency-key',
  sharedSummary: 'plantedsharedsummary',
  sharedSpoken: 'plantedsharedspoken',
  assistant: 'plantedassistantmessage',
  importedMessage: 'plantedimportedmessage',
  stagedGoal: 'plantedstagedgoal',
  stagedMessage: 'plantedstagedmessage',
  unpublished: 'plantedunpublished',
  unpublishedGoal: 'plantedunpublishedgoal',
  listProperty: 'plantedlistproperty',
  propertyName: 'plantedpropertyname',
  conversionProperty: 'plantedconversionproperty',
  conversionType: 'plantedconversiontype',
  schema: 'plantedschemaname',
  nestedRecord: 'plantednestedrecord',
};
/** A second address, visitor id, person id and phone number, each linked to the others in one place only. */
const SECOND = {
  email: 'zq.private@planted.example',
  visitor: 'v_planted_visitor_2',
  person: 'p_planted_person_2',
  phone: '0049 170 5550 4711',
};
const PHONE_DIGITS = '493055570199';
const PLANTED = [
  EMAIL,
  'zebulon',
  'quistgaard',
  VISITOR,
  PERSON,
  PHONE,
  '5557 0199',
  PHONE_DIGITS,
  ...Object.values(SECOND),
  '5550 4711',
  ...Object.values(WORDS),
].map((value) => value.toLowerCase());

/** Planted values that a text contains. */
const plantedIn = (text: string): string[] => PLANTED.filter((value) => text.includes(value));

const hour = (ago: number) => new Date(Date.now() - ago * 3_600_000).toISOString();

const MEETINGS: MeetingJson[] = [
  {
    id: 'alone',
    title: `Call about ${WORDS.title}`,
    created_at: hour(3),
    started_at: hour(3),
    duration_seconds: 600,
    participants: [
      { name: 'Hedda Host', email: 'hedda@acme.example', role: 'host' },
      { name: NAME, email: EMAIL, role: 'guest' },
    ],
    transcript: [
      { speaker: NAME, text: `I say ${WORDS.spoken}`, start_time: 0, end_time: 5 },
      { speaker: 'Hedda Host', text: `You said ${WORDS.answered}`, start_time: 5, end_time: 9 },
    ],
    summary: `They spoke of ${WORDS.summary}`,
    note: WORDS.record,
    crm: { deals: [{ label: WORDS.nestedRecord }] },
  },
  {
    id: 'shared',
    title: `Review with ${NAME}`,
    created_at: hour(2),
    started_at: hour(2),
    duration_seconds: 600,
    participants: [
      { name: 'Hedda Host', email: 'hedda@acme.example', role: 'host' },
      { name: 'Gustav Guest', email: 'gustav@other.example', role: 'guest' },
      { name: NAME, email: EMAIL.toUpperCase(), role: 'guest' },
    ],
    transcript: [
      { speaker: NAME, text: `My plan is ${WORDS.sharedSpoken}`, start_time: 0, end_time: 5 },
      { speaker: 'Gustav Guest', text: 'Thank you, Zebulon. Let us continue.', start_time: 5, end_time: 9 },
    ],
    summary: `Agreed on ${WORDS.sharedSummary}`,
  },
  {
    id: 'other',
    title: 'Weekly',
    created_at: hour(1),
    started_at: hour(1),
    duration_seconds: 600,
    participants: [
      { name: 'Hedda Host', email: 'hedda@acme.example', role: 'host' },
      { name: 'Gustav Guest', email: 'gustav@other.example', role: 'guest' },
    ],
    transcript: [
      { speaker: 'Gustav Guest', text: `Write to ${EMAIL} or call ${PHONE}.`, start_time: 0, end_time: 5 },
      { speaker: NAME, text: 'Here I am, Quistgaard, Zebulon.', start_time: 5, end_time: 6 },
    ],
    summary: 'Nothing else.',
    crm: { owner: NAME, phone: Number(PHONE_DIGITS) },
  },
];

/** Log lines of the service, at every level. */
const logged: string[] = [];
const log = createLogger(
  'trace',
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString().toLowerCase());
      done();
    },
  }),
);

let connector: Connector;
let receiver: Receiver;
let tenant: TestTenant;
const app = () => connector.app;

const START = `mutation ($visitorId: String!, $goal: String) {
  startConversation(input: { visitorId: $visitorId, goal: $goal }) { id visitorId suppressed }
}`;

async function call(query: string, variables: Record<string, unknown> = {}, headers = {}): Promise<Json> {
  const { body } = await app().graphql(query, variables, tenant.write, headers);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values(body.data ?? {})[0] as Json;
}

const appendAs = (role: 'visitor' | 'operator', id: unknown, ...texts: string[]) =>
  call(
    `mutation ($id: ID!, $messages: [MessageInput!]!) { appendMessages(conversationId: $id, messages: $messages) { id } }`,
    { id, messages: texts.map((text) => ({ role, text })) },
  );
const append = (id: unknown, ...texts: string[]) => appendAs('visitor', id, ...texts);

const identify = (id: unknown, input: Record<string, unknown>) =>
  call(
    `mutation ($id: ID!, $input: IdentityInput!) { resolveIdentity(conversationId: $id, identity: $input) { id } }`,
    { id, input },
  );
const resolve = (id: unknown, input: Record<string, unknown>) =>
  call(
    `mutation ($id: ID!, $input: ResolutionInput!) { recordResolution(conversationId: $id, input: $input) { id } }`,
    { id, input },
  );
const handOff = (id: unknown, input: Record<string, unknown>) =>
  call(
    `mutation ($id: ID!, $input: HandoffInput!) { requestHandoff(conversationId: $id, input: $input) { id } }`,
    { id, input: { urgency: 'high', ...input } },
  );
const convert = (id: unknown, input: Record<string, unknown>) =>
  call(
    `mutation ($id: ID!, $input: ConversionInput!) { recordConversion(conversationId: $id, input: $input) { id } }`,
    { id, input },
  );
const grade = (id: unknown, category: string) =>
  call(
    `mutation ($id: ID!, $category: String) { markOutcome(conversationId: $id, category: $category) { id } }`,
    { id, category },
  );

/** What another person's conversation says about the person, in each of its fields. */
async function mention(visitorId: string): Promise<unknown> {
  const { id } = await call(START, { visitorId, goal: `Reach ${NAME}` });
  await append(id, `Ask ${NAME} (${EMAIL}) or ${PHONE}`, 'Something else');
  await identify(id, {
    resolvedPersonId: `p_of_${visitorId}`,
    company: `${NAME} Ltd`,
    jobTitle: `Assistant of ${NAME}`,
  });
  await resolve(id, { resolvedCompany: `Office of ${NAME}` });
  await handOff(id, { schemaName: 'sales', reason: `From:\n${EMAIL}\n${NAME}` });
  await convert(id, { goal: `Call with ${NAME}` });
  await grade(id, `Like ${NAME}`);
  await event({
    type: 'page_view',
    visitor_id: visitorId,
    properties: { referrer: `\n${EMAIL}`, phone: Number(PHONE_DIGITS), [EMAIL]: { list: [NAME] } },
  });
  await event({ type: 'conversion', visitor_id: visitorId, goal: NAME, properties: { by: `\n${EMAIL}` } });
  return id;
}

/** A conversation that an interrupted import has left behind. */
const staged = () => ({
  _id: new Types.ObjectId(),
  customerId: tenant.customerId,
  importId: 'interrupted',
  token: 'ended',
  state: 'publishing' as const,
  publication: {
    conversation: {
      ...{ _id: new Types.ObjectId(), customerId: tenant.customerId, visitorId: VISITOR },
      ...{ status: 'ended', goal: WORDS.stagedGoal, identity: null, note: WORDS.stagedMessage },
    },
    events: [],
  } as never,
});

/** A conversation whose import was killed before it began to publish it: only its texts are stored. */
async function stageUnpublished(): Promise<void> {
  const { StagedConversation, Message, ConversationMilestone } = app().models;
  const { customerId } = tenant;
  const conversationId = new Types.ObjectId();
  const sentAt = new Date();
  await StagedConversation.create({ _id: conversationId, customerId, token: 'killed', state: 'staged' });
  await Message.collection.insertMany(
    [WORDS.unpublished, `My address is ${EMAIL}`].map((text, seq) => ({
      ...{ _id: new Types.ObjectId(), customerId, conversationId, seq, role: 'visitor', text, sentAt },
    })) as never[],
  );
  await ConversationMilestone.collection.insertOne({
    ...{ _id: new Types.ObjectId(), customerId, conversationId, kind: 'conversion' },
    data: { goal: WORDS.unpublishedGoal, type: 'form', value: null, recordedAt: sentAt },
  } as never);
}

const alert = () => ({
  ...{ model: 'default', since: new Date(), score: 1, threshold: 0.2, remindAt: new Date() },
  features: [{ feature: 'age', score: 1, threshold: 0.2, bin: null, exampleIds: ['lead-1', EMAIL] }],
});

async function event(body: Record<string, unknown>) {
  const answer = await app().request('POST', '/v1/events', { key: tenant.write, body });
  expect(answer.body).not.toHaveProperty('error');
  expect(answer.status).toBe(201);
  return answer;
}

const exported = (id: string) => ({
  id,
  visitor_id: VISITOR,
  status: 'ended',
  goal: null,
  started_at: hour(5),
  ended_at: hour(4),
  transcript: [{ role: 'visitor', text: `${WORDS.message} ${PHONE}`, sent_at: hour(5) }],
  identity: { person_id: PERSON, email: EMAIL, first_name: 'Zebulon', last_name: 'Quistgaard' },
});

const importing = (...lines: object[]) =>
  app().services.imports.importLines(
    tenant.tenant,
    readLines(Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`))), 1_000_000),
    { emit: true, progress() {} },
  );

/** Plants the person in every place. */
async function plant(): Promise<void> {
  const { id } = await call(
    START,
    { visitorId: VISITOR, goal: WORDS.goal },
    { 'idempotency-key': WORDS.key },
  );
  await append(id, `Hello, ${WORDS.message}`, `I am ${NAME}, ${EMAIL}`, `Call me: ${PHONE}`);
  await appendAs('operator', id, `You wrote ${WORDS.assistant}`);
  await identify(id, {
    ...{ resolvedPersonId: PERSON, email: EMAIL, firstName: 'Zebulon', lastName: 'Quistgaard' },
    ...{ company: WORDS.company, jobTitle: WORDS.job },
  });
  await resolve(id, { resolvedPersonId: SECOND.person, resolvedCompany: WORDS.resolved });
  await handOff(id, { schemaName: WORDS.schema, reason: WORDS.handoff });
  await convert(id, { goal: WORDS.goal, conversionType: WORDS.conversionType });
  await grade(id, WORDS.outcome);
  // Linked by the second person id alone.
  const second = await call(START, { visitorId: SECOND.visitor });
  await identify(second.id, { resolvedPersonId: SECOND.person, email: SECOND.email });
  await append(second.id, `My other number is ${SECOND.phone}`);
  await importing({
    ...exported('first-import'),
    transcript: [{ role: 'visitor', text: WORDS.importedMessage, sent_at: hour(5) }],
  });
  await event({
    type: 'page_view',
    visitor_id: VISITOR,
    properties: { text: WORDS.property, list: [{ text: WORDS.listProperty }], [WORDS.propertyName]: 1 },
  });
  await event({
    type: 'conversion',
    visitor_id: VISITOR,
    goal: WORDS.event,
    properties: { name: NAME, text: WORDS.conversionProperty },
  });
  await app().models.StagedConversation.create([
    staged(),
    { ...staged(), importId: 'unpublished', state: 'staged' },
  ]);
  await stageUnpublished();
  await app().models.DriftAlert.create(alert());
  await mention('v_other_visitor');
  await syncOf(app(), tenant);
  await eventually(async () =>
    (await searchedIds(app(), tenant, 'zebulon')).length >= 2 ? true : undefined,
  );
  await eventually(async () => {
    const open = await app().models.Delivery.countDocuments({
      customerId: tenant.customerId,
      status: 'pending',
    });
    return open === 0 ? true : undefined;
  });
}

beforeAll(async () => {
  connector = await startConnector({ meetings: MEETINGS }, { CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY }, log);
  receiver = await startReceiver(({ body }) => ({
    ...{ status: 200, body },
    // What a receiver repeats in a header.
    headers: { 'x-echo': body.includes(NAME) ? EMAIL : 'none' },
  }));
  tenant = await connectedTenant(connector.app);
  await connector.app.request('POST', `/api/v1/customers/${tenant.customerId}/webhook-endpoints`, {
    key: tenant.write,
    body: { url: receiver.url },
  });
  await plant();
});
afterAll(async () => {
  await connector.stop();
  await receiver.stop();
});

const EXPECTED = {
  conversations: 3,
  messages: 6,
  identities: 3,
  conversions: 2,
  resolutions: 1,
  handoffs: 1,
  outcomes: 1,
  preview_events: 1,
  // Of both conversations and the event 9, of the imported conversation 3.
  events: 12,
  deliveries: 12,
  attempts: 12,
  meetings: 1,
  meeting_participations: 1,
  transcripts: 1,
  activities: 1,
  import_records: 3,
};

/** What an erasure replaces or removes as well. */
const MENTIONS = {
  // Of the other conversation: 1 message, itself, 4 records, 6 events, their 6 responses, 1 custom event; 1 transcript. Not the alert, which belongs to no customer.
  redacted_texts: 20,
  provider_records: 3,
  idempotency_answers: 1,
};

/** Returns an export of the tenant, or with a query of a person, in lower case. */
async function exportOf(query = ''): Promise<string> {
  const path = `/api/v1/customers/${tenant.customerId}/export${query}`;
  const { status, body } = await app().request('GET', path, { key: tenant.write });
  expect(status).toBe(200);
  return String(body).toLowerCase();
}

describe('the erasure of a person', () => {
  test('is preceded by an export of what is theirs, from each of their identifiers', async () => {
    // An import completes what it has staged; keys of requests, and texts of others, are not theirs.
    const others = [
      WORDS.stagedGoal,
      WORDS.stagedMessage,
      WORDS.unpublished,
      WORDS.unpublishedGoal,
      WORDS.key,
      PHONE_DIGITS,
    ];
    const theirs = PLANTED.filter((value) => !others.includes(value));
    const [byEmail, byVisitor, byPerson] = [
      await exportOf(`?email=${encodeURIComponent(EMAIL)}`),
      await exportOf(`?visitorId=${SECOND.visitor}`),
      await exportOf(`?resolvedPersonId=${PERSON}`),
    ];
    expect(plantedIn(byEmail)).toEqual(expect.arrayContaining(theirs));
    const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('{"kind"'));
    expect(rowsOf(byVisitor)).toEqual(rowsOf(byEmail));
    expect(rowsOf(byPerson)).toEqual(rowsOf(byEmail));
    expect(byEmail).not.toContain('v_other_visitor');
    expect(byEmail).not.toContain('something else');
    expect(byEmail).toContain('"foundby":"conversationtexts"');
    expect(plantedIn(await exportOf())).toEqual(expect.arrayContaining(theirs));
    const mentions = await exportOf(`?email=${encodeURIComponent(EMAIL)}&kind=mentions`);
    expect(mentions).toContain('"foundby":"providerrecords"');
    expect(plantedIn(await exportOf('?visitorId=v_unknown'))).toEqual([]);
  });

  test('is preceded by a dry run that counts and changes nothing', async () => {
    expect(PLANTED.length).toBeGreaterThanOrEqual(40);
    expect(plantedIn(await dump(app()))).toEqual(expect.arrayContaining(PLANTED));
    const before = await app().models.Message.countDocuments({ customerId: tenant.customerId });
    const counted = await erase(app(), tenant, { email: EMAIL, dryRun: true });
    expect(counted).toMatchObject({ status: 'completed', dryRun: true });
    expect(countsOf(counted)).toMatchObject(EXPECTED);
    expect(await app().models.Message.countDocuments({ customerId: tenant.customerId })).toBe(before);
    expect(await app().models.Suppression.countDocuments({ customerId: tenant.customerId })).toBe(0);
  });

  test('leaves no trace, and a receipt with what was planted', async () => {
    const receipt = await erase(app(), tenant, { email: EMAIL.toUpperCase() });
    expect(receipt).toMatchObject({ status: 'completed', suppress: true, error: null });
    // Groups of the search index depend on how far the index is.
    const { search_postings: _, ...counts } = countsOf(receipt);
    expect(counts).toEqual({ ...EXPECTED, ...MENTIONS });
    await eventually(async () =>
      (await searchedIds(app(), tenant, 'gustav')).length === 2 ? true : undefined,
    );
    expect(plantedIn(await dump(app()))).toEqual([]);
    expect(plantedIn(await exportOf())).toEqual([]);
    const metrics = await fetch(`${app().probesUrl ?? app().url}/metrics`).then((answer) => answer.text());
    expect(plantedIn(metrics.toLowerCase())).toEqual([]);
    expect(logged.length).toBeGreaterThan(50);
    expect(plantedIn(logged.join(''))).toEqual([]);
  });

  test('keeps what is about others', async () => {
    expect(await meetingOf(app(), tenant, 'alone')).toBeNull();
    expect(await meetingOf(app(), tenant, 'shared')).toMatchObject({
      title: 'Review with [erased]',
      participantsJson: [{ name: 'Hedda Host' }, { name: 'Gustav Guest' }],
      transcriptJson: [{ text: 'Thank you, [erased]. Let us continue.' }],
      summaryText: null,
    });
    expect(await meetingOf(app(), tenant, 'other')).toMatchObject({
      transcriptJson: [
        { text: 'Write to [erased] or call [erased].' },
        { speaker: '[erased]', text: 'Here I am, [erased].' },
      ],
      summaryText: 'Nothing else.',
    });
    const of = { customerId: tenant.customerId };
    const { models } = app();
    const texts = await plainRows(app(), models.Message.find(of).sort({ seq: 1 }));
    expect(texts.map(({ text }) => text)).toEqual(['Ask [erased] ([erased]) or [erased]', 'Something else']);
    expect(await plainRows(app(), models.Conversation.find(of))).toEqual([
      expect.objectContaining({
        goal: '[erased]',
        identity: expect.objectContaining({ company: '[erased] Ltd', jobTitle: 'Assistant of [erased]' }),
        conversion: expect.objectContaining({ goal: '[erased]' }),
        outcome: expect.objectContaining({ category: 'Like [erased]' }),
        resolution: expect.objectContaining({ resolvedCompany: 'Office of [erased]' }),
      }),
    ]);
    const [custom] = await plainRows(app(), models.PreviewEvent.find(of));
    expect(JSON.parse(custom?.properties ?? '')).toEqual({
      referrer: '\n[erased]',
      phone: '[erased]',
      '[erased]': { list: ['[erased]'] },
    });
    for (const { payload } of await plainRows(app(), models.Event.find(of)))
      expect(JSON.parse(payload)).toMatchObject({ data: { customerId: tenant.customerId } });
    expect((await models.DriftAlert.findOne().lean())?.features[0]?.exampleIds).toEqual([
      'lead-1',
      '[erased]',
    ]);
  });

  test('is not undone by an import, a sync, a webhook of the provider, events and conversations', async () => {
    const report = await importing(exported('imported-1'), {
      ...exported('imported-2'),
      visitor_id: 'v_new',
    });
    expect(report).toMatchObject({ imported: 2, suppressed: 2 });
    for (const meeting of MEETINGS) meeting.title = `${meeting.title}!`;
    expect(await syncOf(app(), tenant)).toMatchObject({ status: 'succeeded' });
    const [run] = await app()
      .models.MeetingSyncRun.find({ customerId: tenant.customerId })
      .sort({ _id: -1 })
      .limit(1)
      .lean();
    expect(run?.suppressed).toBe(2);

    const secret = newSigningSecret();
    const { path } = await hookOf(app(), tenant, secret);
    Object.assign(MEETINGS[0] ?? {}, { summary: `Again ${WORDS.summary}` });
    const body = JSON.stringify({
      type: 'meeting.updated',
      data: { id: 'alone', created_at: MEETINGS[0]?.created_at },
    });
    expect((await send(app().url, path, body, signed({ body, secret }))).status).toBe(204);
    await eventually(async () =>
      (await app().models.ProviderNotice.countDocuments({ status: 'done' })) > 0 ? true : undefined,
    );

    const started = await call(START, { visitorId: VISITOR });
    expect(started).toMatchObject({ visitorId: '[suppressed]', suppressed: true });
    await append(started.id, `${WORDS.message} ${PHONE}`);
    const recorded = await event({
      type: 'page_view',
      visitor_id: VISITOR,
      properties: { text: WORDS.property },
    });
    expect(recorded.body).toMatchObject({ visitor_id: '[suppressed]', suppressed: true });
    // Other people write about the person.
    const mentioning = await mention('v_later_visitor');
    const first = app().models.Message.find({ conversationId: mentioning as never, seq: 0 });
    expect(await plainRows(app(), first)).toMatchObject([
      { text: 'Ask [suppressed] ([suppressed]) or [suppressed]' },
    ]);
    // A later visitor turns out to be the person.
    const late = await call(START, { visitorId: 'v_latest_visitor' });
    await append(late.id, `Mail ${EMAIL}, phone ${PHONE}, ${NAME}`);
    await identify(late.id, { resolvedPersonId: 'p_other_person', email: EMAIL, firstName: 'Zebulon' });

    await eventually(async () =>
      (await searchedIds(app(), tenant, 'hedda')).length === 3 ? true : undefined,
    );
    expect(plantedIn(await dump(app()))).toEqual([]);
    expect(await meetingOf(app(), tenant, 'alone')).toMatchObject({
      title: null,
      participantsJson: [{ name: 'Hedda Host' }],
      transcriptJson: [],
      summaryText: null,
    });
    const metrics = await fetch(`${app().probesUrl ?? app().url}/metrics`).then((answer) => answer.text());
    expect(metrics).toMatch(/engagement_suppressed_total\{source="imports"\} 2/);
    expect(plantedIn(metrics.toLowerCase())).toEqual([]);
    expect(plantedIn(logged.join(''))).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TENANT_DATA } from '../../src/database/tenant-data.ts';
import { PERSONAL_DATA } from '../../src/features/erasure/personal-data.ts';
import type { ExportRequest } from '../../src/features/export/export.service.ts';
import { encodeRecord, encryptRecord } from '../../src/features/meetings/provider-records/record-codec.ts';
import { recordKeyStore } from '../../src/features/meetings/provider-records/record-keys.store.ts';
import { keyOf } from '../../src/features/meetings/stored-meetings/meeting-documents.ts';
import { encodeTranscript } from '../../src/features/meetings/transcript-json.ts';
import { EXPORT_KINDS } from '../../src/features/privacy/export-source.ts';
import { LIMITS } from '../../src/limits/limits.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import { append, apply, CALLS, startConversation } from '../conversations/support.ts';
import { storeMeeting } from '../http/samples.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { expectProtected } from '../support/protection.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createEndpoint } from '../webhooks/support.ts';
import { ENCRYPTION_KEY } from './privacy-support.ts';

type Line = { kind?: string; row?: Record<string, unknown>; cursor?: string; end?: true; rows?: number };

let app: TestApp;
let receiver: Receiver;
let tenant: TestTenant;
let other: TestTenant;

const pathOf = ({ customerId }: TestTenant, query = '') => `/api/v1/customers/${customerId}/export${query}`;

async function textOf(of: TestTenant, query = ''): Promise<string> {
  const answer = await app.request('GET', pathOf(of, query), { key: of.write });
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  return String(answer.body);
}
const parsed = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const linesOf = async (of: TestTenant, query = '') => parsed(await textOf(of, query));
const rowsOf = (lines: Line[], kind: string) =>
  lines.filter((line) => line.kind === kind).map(({ row }) => row);

const secretOf = ({ customerId }: TestTenant): string => `secret-of-${customerId}`;

const markerOf = ({ customerId }: TestTenant): string => `marker_of_${customerId}`;

async function storeMeetingContents(of: TestTenant, recorderMeetingId: string): Promise<void> {
  const { customerId } = of;
  const _id = keyOf(of, recorderMeetingId);
  const segment = { speaker: 'Ada', text: markerOf(of), startTime: 0, endTime: 1 };
  await app.models.MeetingTranscript.create({ _id, customerId, transcriptJson: encodeTranscript([segment]) });
  await app.models.MeetingActivity.create({
    ...{ _id, customerId, externalId: recorderMeetingId, type: 'meeting_recorded', channel: 'video' },
    ...{ occurredAt: new Date(), order: recorderMeetingId, properties: { note: markerOf(of) } },
  });
}

/** Returns a conversation in plain text, to be stored with other ids: a ciphertext could not be decrypted there. */
const storedConversation = async ({ customerId }: TestTenant) =>
  (await plainRows(app, app.models.Conversation.find({ customerId }).limit(1)))[0];

/** Stores something of nearly every kind. */
async function fill(of: TestTenant): Promise<void> {
  await createEndpoint(app, of, { url: receiver.url, headers: { 'x-secret': secretOf(of) } });
  const { id } = await startConversation(app, of, { visitorId: `v_of_${of.customerId}` });
  await append(app, of, id, [{ role: 'visitor', text: `Hello of ${of.customerId}` }]);
  for (const step of [CALLS.resolveIdentity, CALLS.markOutcome, CALLS.recordConversion])
    await apply(app, of, id, step);
  await app.request('POST', '/v1/events', {
    key: of.write,
    body: { type: 'page.viewed', visitor_id: `v_of_${of.customerId}`, properties: { plan: 'pro' } },
  });
  await app.request('POST', `/api/v1/customers/${of.customerId}/erasures`, {
    key: of.write,
    body: { visitorId: 'v_erased' },
  });
  await app.request('GET', `/api/v1/customers/${of.customerId}/event-feeds/crm`, { key: of.write });
  await storeMeetingContents(of, await storeMeeting(app, of));
  await app.models.ArchivedEvent.collection.insertOne({
    ...{ customerId: of.customerId, conversationId: id, event: 'conversation.started' },
    ...{ payload: JSON.stringify({ archived: markerOf(of) }), createdAt: new Date() },
  } as never);
  await eventually(async () => {
    const { customerId } = of;
    const open = await app.models.Delivery.countDocuments({ customerId, status: 'pending' });
    const running = await app.models.Erasure.countDocuments({ customerId, status: 'running' });
    return open + running === 0 ? true : undefined;
  });
}

beforeAll(async () => {
  app = await startApp({ CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY, RECORDER_API_URL: 'http://127.0.0.1:9' });
  receiver = await startReceiver();
  [tenant, other] = [await app.newTenant(), await app.newTenant()];
  for (const of of [tenant, other]) await fill(of);
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

test('an export is protected', async () => {
  await expectProtected(app, { method: 'GET', path: pathOf(tenant), scope: 'write' }, tenant);
  const limited = await app.services.keys.create({
    ...{ scope: 'write', customerId: tenant.customerId, expiresAt: null },
    resources: ['conversations'],
  });
  expect(await app.request('GET', pathOf(tenant), { key: limited.key })).toMatchObject({ status: 403 });
});

describe('the export of a customer', () => {
  test('has everything of the customer, and nothing of another one', async () => {
    const text = await textOf(tenant);
    const lines = parsed(text);
    const kinds = [...new Set(lines.flatMap(({ kind }) => kind ?? []))].filter(
      (kind) => kind !== 'webhookStatistics',
    );
    // Other tests have these; statistics are written at intervals.
    const absent = [
      ...['conversationIds', 'webhookStatistics', 'providerRecords', 'meetingSyncs', 'meetingSyncLog'],
      'mentions',
    ];
    expect(kinds).toEqual(EXPORT_KINDS.filter((kind) => !absent.includes(kind)));
    expect(lines.at(-1)).toEqual({ end: true, rows: lines.filter(({ kind }) => kind).length });
    expect(text).toContain(`Hello of ${tenant.customerId}`);
    for (const kind of ['archivedEvents', 'transcripts', 'activities'])
      expect(JSON.stringify(rowsOf(lines, kind)), kind).toContain(markerOf(tenant));
    expect(text).not.toContain(markerOf(other));
    expect(text).not.toContain(`of ${other.customerId}`);
    expect(text).not.toContain(`v_of_${other.customerId}`);
    expect(text).not.toContain(`org_${other.customerId}`);
    for (const { row } of lines)
      if (row && 'customerId' in row) expect(row.customerId).toBe(tenant.customerId);

    expect(rowsOf(lines, 'conversations')).toEqual([
      expect.objectContaining({
        visitor_id: `v_of_${tenant.customerId}`,
        transcript: [expect.objectContaining({ text: `Hello of ${tenant.customerId}` })],
        identity: expect.objectContaining({ person_id: expect.any(String) }),
      }),
    ]);
    expect(rowsOf(lines, 'conversationRecords')).toMatchObject([{ kind: 'conversion' }]);
    expect(rowsOf(lines, 'outcomes')).toHaveLength(1);
    expect(rowsOf(lines, 'previewEvents')).toMatchObject([
      { type: 'page.viewed', properties: { plan: 'pro' } },
    ]);
    expect(rowsOf(lines, 'deliveries')).toContainEqual(
      expect.objectContaining({ status: 'succeeded', attempts: [expect.objectContaining({ number: 1 })] }),
    );
    expect(rowsOf(lines, 'events')).toContainEqual(
      expect.objectContaining({ payload: expect.objectContaining({ event: 'conversation.started' }) }),
    );
  });

  test('has no drift alerts, which only admins read, not even as mentions', async () => {
    const visitorId = `v_of_${tenant.customerId}`;
    const at = new Date();
    const feature = { feature: 'age', score: 1, threshold: 0.2, bin: null, exampleIds: [visitorId] };
    const alert = await app.models.DriftAlert.create({
      ...{ model: 'default', stage: null, feature: null, since: at, clearedAt: null, score: 1 },
      ...{ threshold: 0.2, features: [feature], acknowledgement: null, remindedAt: null, remindAt: at },
    });
    for (const query of ['', `?visitorId=${visitorId}`])
      expect(await textOf(tenant, query)).not.toContain(String(alert._id));
  });

  test('has no secrets', async () => {
    const text = await textOf(tenant);
    const [endpoint] = await app.models.Endpoint.find({ customerId: tenant.customerId }).lean();
    expect(text).toContain('x-secret');
    expect(text).not.toContain(secretOf(tenant));
    expect(text).not.toContain(String(endpoint?.secret));
    expect(text).not.toContain('whsec_');
    for (const { hash } of (await app.models.ApiKey.find().lean()) as { hash?: string }[])
      if (hash) expect(text).not.toContain(hash);
    expect(text).not.toContain(tenant.write);
  });

  test('of one kind has that kind', async () => {
    for (const kind of EXPORT_KINDS.filter((one) => one !== 'mentions')) {
      const lines = await linesOf(tenant, `?kind=${kind}`);
      expect([...new Set(lines.flatMap((line) => line.kind ?? []))]).toEqual(lines.length > 1 ? [kind] : []);
    }
  });

  test('continues at each of its cursors, with what follows', async () => {
    const query = '?kind=conversations&cursor=';
    const many = await app.newTenant();
    const _ids = Array.from({ length: 1_200 }, () => new Types.ObjectId());
    const row = await storedConversation(tenant);
    await app.models.Conversation.collection.insertMany(
      _ids.map((_id, index) => ({
        ...row,
        ...{ _id, customerId: many.customerId, order: `${1e15 + index}:${_id}` },
      })) as never[],
    );
    const lines = await linesOf(many, '?kind=conversations');
    expect(rowsOf(lines, 'conversations')).toHaveLength(_ids.length);
    const cursors = lines.flatMap(({ cursor }, index) => (cursor ? [{ cursor, index }] : []));
    expect(cursors.length).toBeGreaterThanOrEqual(2);
    for (const { cursor, index } of cursors) {
      const rest = await linesOf(many, query + cursor);
      expect(rest.slice(0, -1)).toEqual(lines.slice(index + 1, -1));
    }
    const whole = await linesOf(tenant);
    for (const [index, { cursor }] of whole.entries())
      if (cursor) {
        const rest = await linesOf(tenant, `?cursor=${cursor}`);
        // Exports add to the log and use their key, and statistics are written at intervals.
        const lasting = (some: Line[]) =>
          some
            .filter(({ kind }) => kind && !['auditLog', 'webhookStatistics'].includes(kind))
            .map((line) =>
              line.kind === 'apiKeys' ? { ...line, row: { ...line.row, lastUsedAt: null } } : line,
            );
        expect(lasting(rest)).toEqual(lasting(whole.slice(index + 1)));
      }
  });

  test('pages through the archived events of one conversation', async () => {
    const many = await app.newTenant();
    const [long, short] = [new Types.ObjectId(), new Types.ObjectId()].map(String);
    const archived = (conversationId: unknown) => ({
      ...{ _id: new Types.ObjectId(), customerId: many.customerId, conversationId },
      ...{ event: 'conversation.started', payload: '{"data":{}}', createdAt: new Date() },
    });
    const stored = [...Array.from({ length: 2_500 }, () => archived(long)), archived(short)];
    await app.models.ArchivedEvent.collection.insertMany(stored as never[]);
    const lines = await linesOf(many, '?kind=archivedEvents');
    const idsOf = (some: Line[]) => rowsOf(some, 'archivedEvents').map((row) => row?.id);
    expect(idsOf(lines)).toEqual(stored.map(({ _id }) => String(_id)));
    const cursors = lines.flatMap(({ cursor }, index) => (cursor ? [{ cursor, index }] : []));
    expect(cursors).toHaveLength(2);
    for (const { cursor, index } of cursors) {
      const rest = await linesOf(many, `?kind=archivedEvents&cursor=${cursor}`);
      expect(idsOf(rest)).toEqual(idsOf(lines.slice(index)));
    }
  });

  test('names the imported ids of conversations beside the ids that other kinds have', async () => {
    const importing = await app.newTenant();
    const { id } = await startConversation(app, importing, { visitorId: 'v_1' });
    await startConversation(app, importing, { visitorId: 'v_2' });
    await app.models.Conversation.updateOne({ _id: id }, { $set: { importId: 'crm-1' } });
    const lines = await linesOf(importing);
    expect(rowsOf(lines, 'conversationIds')).toEqual([{ conversationId: id, importId: 'crm-1' }]);
    expect(rowsOf(lines, 'conversations')).toContainEqual(expect.objectContaining({ id: 'crm-1' }));
    expect(rowsOf(lines, 'events')).toContainEqual(expect.objectContaining({ conversationId: id }));
  });

  test('is refused while another one is running', async () => {
    await using held = await app.services.exports.open(tenant.tenant, null, { waits: false });
    const refused = await app.request('GET', pathOf(tenant), { key: tenant.write });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect((await linesOf(other)).at(-1)).toMatchObject({ end: true });
    await held[Symbol.asyncDispose]();
  });

  describe('that is too large for the buffers of its connection', () => {
    let large: TestTenant;
    beforeAll(async () => {
      large = await app.newTenant();
      const row = await storedConversation(tenant);
      await app.models.Conversation.collection.insertMany(
        Array.from({ length: 1_200 }, (_, index) => {
          const _id = new Types.ObjectId();
          const order = `${1e15 + index}:${_id}`;
          return { ...row, _id, customerId: large.customerId, order, goal: 'x'.repeat(20_000) };
        }) as never[],
      );
    });

    /** Begins an export, and returns its reader behind the first part. */
    async function begin(key: string, signal: AbortSignal | null = null) {
      const { body } = await fetch(app.url + pathOf(large), {
        headers: { authorization: `Bearer ${key}` },
        signal,
      });
      const reader = body?.getReader() ?? expect.fail();
      await reader.read();
      expect(await app.request('GET', pathOf(large), { key: large.write })).toMatchObject({ status: 409 });
      return reader;
    }
    const isFree = (timeoutMs?: number) =>
      eventually(async () => {
        const { status } = await app.request('GET', pathOf(large, '?kind=settings'), { key: large.write });
        return status === 200 ? true : undefined;
      }, timeoutMs);

    test('is free when its client has gone', async () => {
      const controller = new AbortController();
      await begin(large.write, controller.signal);
      controller.abort();
      await isFree();
    });

    test('breaks off, instead of ending, when its key is revoked', async () => {
      const { customerId } = large;
      const { key, apiKey } = await app.services.keys.create({ scope: 'write', customerId, expiresAt: null });
      const reader = await begin(key);
      await app.services.keys.revoke(apiKey.id);
      // Keys of open streams are checked every 30 seconds.
      await isFree(60_000);
      const rest = async () => {
        while (!(await reader.read()).done);
      };
      await expect(rest()).rejects.toThrow('terminated');
    });
  });

  /** Begins the export of a customer over HTTP, without an HTTP request. */
  const stream = async (of: TestTenant, request: ExportRequest, signal: AbortSignal) =>
    app.services.exports.stream(of.tenant, request, {
      actor: { type: 'key', id: null, name: null, prefix: null },
      ...{ clientAddress: null, requestId: null, signal },
    });

  test('is a 503 while the process streams its maximum of them, for other customers as well', async () => {
    const { signal } = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: LIMITS.streamedExports.default }, async () => {
        const lines = await stream(await app.newTenant(), {}, signal);
        await lines.next();
        return lines;
      }),
    );
    const entries = await app.models.AuditEntry.countDocuments({ log: tenant.customerId });
    const refused = await app.request('GET', pathOf(tenant), { key: tenant.write });
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await app.models.AuditEntry.countDocuments({ log: tenant.customerId })).toBe(entries);
    await streams.pop()?.return(undefined);
    expect((await linesOf(tenant)).at(-1)).toMatchObject({ end: true });
    for (const lines of streams) await lines.return(undefined);
  });

  test('of a person ends its search for their identifiers when its client has gone, and is free', async () => {
    const reason = new Error('gone');
    const request = { visitorId: `v_of_${tenant.customerId}` };
    for (let begun = 0; begun <= LIMITS.streamedExports.default; begun += 1)
      await expect(stream(tenant, request, AbortSignal.abort(reason))).rejects.toBe(reason);
    const lines = await linesOf(tenant, `?visitorId=${request.visitorId}`);
    expect(rowsOf(lines, 'conversations')).toHaveLength(1);
  });

  test('of many clients at once is one', async () => {
    const many = await app.newTenant();
    const answers = await Promise.all(
      Array.from({ length: LIMITS.streamedExports.default }, () =>
        app.request('GET', pathOf(many), { key: many.write }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(statuses).toContain(200);
    for (const { body } of answers.filter(({ status }) => status === 200))
      expect(parsed(String(body)).at(-1)).toMatchObject({ end: true });
  });

  test('is in the audit log before its first row', async () => {
    const many = await app.newTenant();
    const lines = await linesOf(many, '?kind=auditLog');
    expect(rowsOf(lines, 'auditLog')).toMatchObject([
      {
        action: 'exportCustomer',
        actor: { type: 'key' },
        target: { type: 'tenant', id: String(many.customerId) },
        outcome: 'done',
        after: { kind: 'auditLog', continued: false },
      },
    ]);
    await linesOf(many, '?email=planted@example.com');
    const entries = await app.models.AuditEntry.find({ log: many.customerId }).sort({ sequence: 1 }).lean();
    expect(entries.map(({ target }) => target.type)).toEqual(['tenant', 'person']);
    expect(JSON.stringify(entries)).not.toContain('planted');
  });

  test('answers HEAD with its headers, and records nothing', async () => {
    const many = await app.newTenant();
    const answer = await app.request('HEAD', pathOf(many), { key: many.write });
    expect(answer).toMatchObject({ status: 200, body: '' });
    expect(await app.models.AuditEntry.countDocuments({ log: many.customerId })).toBe(0);
  });
});

test('an unknown person has an empty export', async () => {
  const lines = await linesOf(tenant, '?email=unknown@example.com');
  expect(lines.filter(({ kind }) => kind)).toEqual([]);
  expect(lines.at(-1)).toEqual({ end: true, rows: 0 });
});

test('a person has the events of a conversation that no longer names them, each once', async () => {
  const of = await app.newTenant();
  await createEndpoint(app, of, { url: receiver.url });
  const visitorId = 'v_moved';
  const { id: own } = await startConversation(app, of, { visitorId });
  const { id: moved } = await startConversation(app, of, { visitorId });
  const conversationIds = [own, moved].toSorted();
  const source = await plainRows(app, app.models.Event.find({ customerId: of.customerId }));
  await app.models.ArchivedEvent.collection.insertMany(
    source.map(({ customerId, conversationId, event, payload, createdAt }) => ({
      ...{ _id: new Types.ObjectId(), customerId, conversationId, event, payload, createdAt },
    })) as never[],
  );
  await app.models.Conversation.updateOne({ _id: moved }, { $set: { visitorId: '[suppressed]' } });
  const lines = await linesOf(of, `?visitorId=${visitorId}`);
  for (const kind of ['events', 'archivedEvents'])
    expect(
      rowsOf(lines, kind)
        .map((row) => row?.conversationId)
        .toSorted(),
      kind,
    ).toEqual(conversationIds);
  const eventIds = rowsOf(lines, 'events').map((row) => row?.id);
  expect(
    rowsOf(lines, 'deliveries')
      .map((row) => row?.eventId)
      .toSorted(),
  ).toEqual(eventIds.toSorted());
  expect(rowsOf(lines, 'conversations')).toHaveLength(1);
});

describe('wrong input', () => {
  const cases: [string, string, string][] = [
    ['an unknown kind', '?kind=secrets', 'kind'],
    ['a kind that has nothing about people', '?kind=apiKeys&visitorId=v_1', 'kind'],
    ['a kind that only a person has', '?kind=mentions', 'kind'],
    ['no email address', '?email=unknown', 'email'],
    ['an empty visitor id', '?visitorId=', 'visitorId'],
    ['a person id that is too long', `?resolvedPersonId=${'x'.repeat(501)}`, 'resolvedPersonId'],
    ['no cursor', '?cursor=garbage', 'cursor'],
    ['a cursor of another list', `?cursor=${Buffer.from('[1,"[\\"x\\"]"]').toString('base64url')}`, 'cursor'],
    [
      'a forged cursor',
      `?cursor=${Buffer.from(JSON.stringify([`${'A'.repeat(22)}{"kind":"events","after":{"$gt":""}}`, '["export"]'])).toString('base64url')}`,
      'cursor',
    ],
  ];
  test.each(cases)('%s is a 422 that names it', async (_name, query, path) => {
    // Refused authentications of earlier tests are recorded once a minute.
    const exports = { log: tenant.customerId, action: 'exportCustomer' };
    const before = await app.models.AuditEntry.countDocuments(exports);
    const answer = await app.request('GET', pathOf(tenant, query), { key: tenant.write });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
    expect(await app.models.AuditEntry.countDocuments(exports)).toBe(before);
  });

  test('a cursor of another customer, kind or person is a 422', async () => {
    const lines = await linesOf(other);
    const cursor = lines.find((line) => line.cursor)?.cursor ?? expect.fail();
    for (const [of, query] of [
      [tenant, ''],
      [other, '&kind=events'],
      [other, '&visitorId=v_1'],
    ] as const)
      expect(
        await app.request('GET', pathOf(of, `?cursor=${cursor}${query}`), { key: of.write }),
      ).toMatchObject({
        status: 422,
        body: { error: { details: [{ path: 'cursor' }] } },
      });
  });
});

test('every collection with personal data is in the export', async () => {
  await using whole = await app.services.exports.open(tenant.tenant, null, { waits: true });
  for (const [collection, one] of Object.entries(PERSONAL_DATA)) {
    if (!('exportedAs' in one)) continue;
    const sources = whole.sources.filter(({ kind }) => one.exportedAs.includes(kind));
    expect(sources.map(({ kind }) => kind)).toEqual(one.exportedAs);
    expect(
      sources.every(({ collections }) => collections.includes(collection)),
      collection,
    ).toBe(true);
  }
  expect(whole.sources.map(({ kind }) => kind)).toEqual(EXPORT_KINDS.filter((kind) => kind !== 'mentions'));
});

/**
 * How a marker, which is the text of a time, is stored in each collection that exports have. Each needs a document of the
 * tenant.
 */
const MARKED: Record<string, (marker: string, of: TestTenant) => object | Promise<object>> = {
  apiKeys: (name) => ({ name }),
  retentionPolicies: (marker) => ({ updatedAt: new Date(marker) }),
  recorderConnections: (marker) => ({ connectedAt: new Date(marker) }),
  recorderMappings: (sourceField) => ({
    mappings: [{ sourceField, targetField: 'title', transform: 'none', required: true }],
  }),
  webhookEndpoints: (description) => ({ description }),
  webhookStatistics: (marker) => ({ lastSuccessAt: new Date(marker) }),
  eventFeeds: (consumer) => ({ consumer }),
  conversations: (goal) => ({ goal }),
  conversationMessages: (text) => ({ text }),
  conversationRecords: (goal) => ({ data: { goal, type: null, value: null, recordedAt: new Date(0) } }),
  conversationTimelines: (marker) => ({ payload: JSON.stringify({ marker }) }),
  previewEvents: (marker) => ({ properties: JSON.stringify({ marker }) }),
  webhookEvents: (marker) => ({ payload: JSON.stringify({ marker }) }),
  webhookDeliveries: (responseBody) => ({ 'attempts.0.responseBody': responseBody }),
  meetings: (title) => ({ title }),
  meetingTranscripts: (text) => ({
    transcriptJson: encodeTranscript([{ speaker: null, text, startTime: 0, endTime: 1 }]),
  }),
  meetingActivities: (note) => ({ properties: { note } }),
  async meetingProviderRecords(marker, of) {
    const key = await recordKeyStore(app.models, createCipher([ENCRYPTION_KEY])).findOrCreate(of);
    return encryptRecord({ key, json: encodeRecord({ marker }) ?? '' }, keyOf(of, `m_${of.customerId}`));
  },
  meetingSyncRuns: (message) => ({ error: { code: 'INTERNAL', message } }),
  meetingSyncLog: (detail) => ({ detail }),
  erasures: (error) => ({ error }),
  suppressions: (hash) => ({ hash }),
  auditEntries: (requestId) => ({ requestId }),
};

/** Stores a document of each collection that `fill` leaves empty. */
async function storeOtherDocuments(of: TestTenant): Promise<void> {
  const { customerId } = of;
  const { models } = app;
  const at = new Date();
  const path = `/api/v1/customers/${customerId}/retention`;
  await app.request('PATCH', path, { key: of.write, body: { meetings: 400 } });
  await models.ProviderConnection.create({
    ...{ _id: customerId, generation: 'test', encryptedApiKey: 'none', status: 'connected', connectedAt: at },
  });
  await models.FieldMappings.create({ _id: customerId, customerId, mappings: [], version: 1 });
  const endpoint = await models.Endpoint.findOne({ customerId }).lean();
  await models.WebhookStatistics.updateOne(
    { customerId, _id: `${endpoint?.id}/hour/2026-01-01T00:00:00.000Z` },
    { $set: { step: 'hour', at, expiresAt: new Date(at.getTime() + 86_400_000), attempts: 1 } },
    { upsert: true },
  );
  await models.MeetingProviderRecord.create({ _id: keyOf(of, `m_${customerId}`), customerId });
  const run = await models.MeetingSyncRun.create({
    ...{ customerId, generation: 'test', status: 'failed', since: at, startedAt: at, finishedAt: at },
    ...{ pages: 0, fetched: 0, stored: 0, updated: 0, rejected: 0, rateLimited: 0, claims: 0 },
    lease: { expiresAt: at },
  });
  await models.MeetingSyncLog.create({ _id: `${run._id}:000000000000`, customerId, at, type: 'started' });
}

test('every collection is in the export of a customer, or among those that docs/privacy.md leaves out', async () => {
  const privacy = readFileSync(new URL('../../docs/privacy.md', import.meta.url), 'utf8');
  const [, table = ''] = privacy.split('| Collections | Why |');
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2);
  const leftOut = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(['tenants', ...Object.keys(MARKED), ...leftOut].toSorted()).toEqual(
    Object.keys(TENANT_DATA).toSorted(),
  );

  const of = await app.newTenant();
  await fill(of);
  await storeOtherDocuments(of);
  const { customerId } = of;
  const db = app.models.Tenant.db;
  const markers = new Map([['tenants', of.tenant.orgId]]);
  for (const [index, [collection, update]] of Object.entries(MARKED).entries()) {
    const marker = new Date(Date.UTC(2001, 0, 1, 0, 0, index)).toISOString();
    markers.set(collection, marker);
    const { matchedCount } = await db
      .collection(collection)
      .updateOne(
        { $or: [{ customerId }, { _id: customerId as never }, { log: customerId }] },
        { $set: await update(marker, of) },
      );
    expect(matchedCount, collection).toBe(1);
  }
  const text = await textOf(of);
  const missing = [...markers].flatMap(([collection, marker]) => (text.includes(marker) ? [] : collection));
  expect(missing).toEqual([]);
});

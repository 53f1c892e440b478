import { gunzipSync, inflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json, TestTenant } from '../support/app.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { meetingJson, withMeetings } from '../support/provider.ts';
import { type Connector, codeOf, connectedTenant, meetingOf, startConnector, syncOf } from './support.ts';

const PREVIEW = `query ($mappings: [FieldMappingInput!]!, $id: String) {
  recorderFieldMappingPreview(mappings: $mappings, recorderMeetingId: $id) {
    recorderMeetingId hasRecord
    fields { sourceField sourcePointer targetField transform value warnings }
    activity { externalId occurredAt personExternalId properties }
  }
}`;

const REQUIRED = [
  { sourceField: 'id', targetField: 'externalId' },
  { sourceField: 'created_at', targetField: 'occurredAt' },
];

interface Preview {
  recorderMeetingId: string;
  hasRecord: boolean;
  fields: { sourceField: string; value: string | null; warnings: string[] }[];
  activity: { personExternalId: string | null; properties: Json };
}

let on: Connector;
let tenant: TestTenant;
beforeAll(async () => {
  on = await startConnector();
  tenant = await connectedTenant(on.app);
});
afterAll(() => on.stop());
afterEach(() => on.provider.behave('well'));

const preview = (mappings: unknown, id?: string, key = tenant.write) =>
  on.app.graphql(PREVIEW, { mappings, id }, key);

async function previewOf(fields: object[], id?: string): Promise<Preview> {
  const { body } = await preview([...REQUIRED, ...fields], id);
  expect(body.errors).toBeUndefined();
  return body.data?.recorderFieldMappingPreview as unknown as Preview;
}

/** Syncs a meeting with these fields. */
async function store(fields: object): Promise<void> {
  on.provider.behave(withMeetings({ ...meetingJson(0), ...fields }));
  expect(await syncOf(on.app, tenant)).toMatchObject({ status: 'succeeded' });
}

const line = (sourceField: string, name: string, rest: object = {}) => ({
  sourceField,
  targetField: `properties.${name}`,
  ...rest,
});

describe('a preview', () => {
  test('requires authentication, and shows no meeting of another tenant', async () => {
    await store({});
    await expectProtectedGraphQL(on.app, PREVIEW, { mappings: REQUIRED }, [tenant.read]);
    const other = await on.app.newTenant();
    for (const id of [undefined, 'm0']) {
      const { body } = await preview(REQUIRED, id, other.write);
      expect(body).toEqual({ data: { recorderFieldMappingPreview: null } });
    }
  });

  test('applies the mapping to the chosen meeting, or to the newest, and saves nothing', async () => {
    await syncOf(on.app, tenant);
    const dump = async () => ({
      mappings: await on.app.models.FieldMappings.find().lean(),
      activities: await on.app.models.MeetingActivity.find().lean(),
    });
    const before = await dump();
    const fields = [line('/recording_url', 'link'), line('title', 'title', { transform: 'lowercase' })];
    expect(await previewOf(fields)).toMatchObject({ recorderMeetingId: 'm0', hasRecord: true });
    expect(await previewOf(fields, 'm2')).toMatchObject({
      recorderMeetingId: 'm2',
      fields: [
        { sourceField: 'id', sourcePointer: '/@meeting/id', value: 'm2', warnings: [] },
        { sourceField: 'created_at', sourcePointer: '/@meeting/created_at', warnings: [] },
        {
          sourceField: '/recording_url',
          sourcePointer: '/recording_url',
          value: 'https://recordings.example.com/m2',
          warnings: [],
        },
        { sourceField: 'title', value: 'meeting 2', warnings: [] },
      ],
      activity: {
        externalId: 'recorder_m2',
        properties: { link: 'https://recordings.example.com/m2', title: 'meeting 2' },
      },
    });
    expect((await preview(REQUIRED, 'none')).body.data?.recorderFieldMappingPreview).toBeNull();
    expect(await dump()).toEqual(before);
  });

  test('maps values by their types', async () => {
    await store({
      crm: { 'a/b': [{ name: ' Deal ' }], open: false, count: 3, none: null, '': 'empty', 'm~n': 'tilde' },
      long: 'x'.repeat(5_000),
    });
    const { fields, activity } = await previewOf([
      line('/crm/a~1b/0/name', 'deal', { transform: 'trim' }),
      line('/crm/open', 'open'),
      line('/crm/count', 'count', { transform: 'lowercase' }),
      line('/crm/none', 'none'),
      line('/crm/', 'blank'),
      line('/crm/m~0n', 'tilde'),
      line('/crm/a~1b', 'list'),
      line('/long', 'long'),
      { sourceField: '/crm/count', targetField: 'personExternalId' },
    ]);
    expect(activity).toMatchObject({
      personExternalId: '3',
      properties: {
        deal: 'Deal',
        open: false,
        count: 3,
        none: null,
        blank: 'empty',
        tilde: 'tilde',
        list: '[{"name":" Deal "}]',
        long: 'x'.repeat(4_096),
      },
    });
    const warned = Object.fromEntries(fields.map(({ sourceField, warnings }) => [sourceField, warnings]));
    expect(warned['/crm/a~1b/0/name']).toEqual([]);
    expect(warned['/crm/none']).toEqual([expect.stringContaining('no value at this pointer')]);
    expect(warned['/crm/a~1b']).toEqual([expect.stringContaining('Mapped as JSON text')]);
    expect(warned['/long']).toEqual([expect.stringContaining('Truncated')]);
    const person = await previewOf([{ sourceField: '/crm', targetField: 'personExternalId' }]);
    expect(person.activity.personExternalId).toBeNull();
    expect(person.fields.at(-1)?.warnings).toEqual([expect.stringContaining('text or a number')]);
  });

  test.each([
    '/constructor/name',
    '/__proto__/toString',
    '/participants/length',
    '/participants/-',
    '/participants/00',
    '/participants/1e0',
    '/title/0',
    '/title/length',
    '/transcript/0/text',
    '/transcript',
    '/hasOwnProperty',
    `/${'a/'.repeat(249)}`,
  ])('finds nothing at %s', async (pointer) => {
    await store({});
    const { fields, activity } = await previewOf([line(pointer, 'x')]);
    expect(activity.properties.x).toBeNull();
    expect(fields.at(-1)?.warnings).toEqual([expect.stringContaining('no value at this pointer')]);
  });

  test('finds a member that is named __proto__', async () => {
    const source = JSON.parse('{"__proto__":{"polluted":"yes"}}');
    on.provider.behave({ change: () => ({ meetings: [{ ...meetingJson(0), nested: source }] }) });
    await syncOf(on.app, tenant);
    expect((await previewOf([line('/nested/__proto__/polluted', 'x')])).activity.properties.x).toBe('yes');
    expect(({} as Json).polluted).toBeUndefined();
  });

  test.each([
    '/a~',
    '/a~2b',
    '/~',
    `/${'x'.repeat(500)}`,
    'recording_url',
    '#/title',
    '/@meeting',
    '/@meeting/other',
  ])('refuses the source %s', async (sourceField) => {
    const response = await preview([...REQUIRED, { sourceField, targetField: 'properties.x' }]);
    expect(codeOf(response)).toBe('VALIDATION_FAILED');
  });

  test.each([
    ['occurredAt', { sourceField: '/created_at', targetField: 'occurredAt' }, 1],
    ['externalId', { sourceField: '/id', targetField: 'externalId' }, 0],
  ])('refuses a pointer for %s', async (_target, field, index) => {
    const response = await preview(REQUIRED.with(index, field));
    expect(codeOf(response)).toBe('VALIDATION_FAILED');
  });

  test('refuses a required pointer, since the provider may omit it', async () => {
    const response = await preview([...REQUIRED, line('/recording_url', 'x', { required: true })]);
    expect(codeOf(response)).toBe('VALIDATION_FAILED');
  });
});

describe('the record of a meeting', () => {
  test('is encrypted at rest, compressed, and bound to its meeting', async () => {
    const secret = 'only-the-record-has-this';
    await store({ note: secret.repeat(100) });
    const { customerId } = tenant;
    const { MeetingProviderRecord, MeetingRecordKey } = on.app.models;
    const [document] = await MeetingProviderRecord.find({ customerId, _id: `${customerId}:m0` }).lean();
    const data = Buffer.from(document?.data?.buffer ?? []);
    expect(data.length).toBeGreaterThan(50);
    expect(data.length).toBeLessThan(1_000);
    for (const decode of [inflateRawSync, gunzipSync]) expect(() => decode(data)).toThrow();
    for (const collection of await on.app.models.Meeting.db.listCollections())
      for await (const raw of on.app.models.Meeting.db.collection(collection.name).find({}, { raw: true })) {
        const bytes = raw as unknown as Buffer;
        expect(bytes.includes(secret), collection.name).toBe(false);
        expect(bytes.includes('recording_url'), collection.name).toBe(false);
      }
    expect(await MeetingRecordKey.findById(customerId).lean()).toMatchObject({
      encryptedKey: expect.stringMatching(/^v1\./),
    });
    expect(await previewOf([line('/note', 'x')])).toMatchObject({ hasRecord: true });

    await syncOf(on.app, tenant);
    await MeetingProviderRecord.collection.updateOne(
      { customerId, _id: `${customerId}:m1` as never },
      { $set: { data: document?.data } },
    );
    expect(await previewOf([line('/note', 'x')], 'm1')).toMatchObject({ hasRecord: false });
  });

  test.each([
    ['is too large', JSON.stringify('x'.repeat(300_000))],
    ['has 101 levels', '['.repeat(100) + ']'.repeat(100)],
    ['is nested too deeply', '['.repeat(20_000) + ']'.repeat(20_000)],
  ])('that %s is not kept, with a warning, and the known fields are', async (_what, json) => {
    await store({ link: 'before' });
    const body = JSON.stringify({ meetings: [{ ...meetingJson(0), link: 'HERE' }] }).replace('"HERE"', json);
    on.provider.behave({ status: 200, headers: { 'content-type': 'application/json' }, body });
    expect(await syncOf(on.app, tenant)).toMatchObject({ status: 'succeeded' });
    const warnings = (await meetingOf(on.app, tenant, 'm0'))?.warnings;
    expect(warnings).toEqual([{ path: 'record', reason: expect.stringContaining('262144 bytes') }]);
    const fields = [line('/link', 'link'), line('title', 'title'), line('/@meeting/title', 'same')];
    const result = await previewOf(fields, 'm0');
    expect(result).toMatchObject({
      hasRecord: false,
      activity: { properties: { link: null, title: 'Meeting 0', same: 'Meeting 0' } },
    });
    const previewed = result.fields.slice(-3).map((field) => field.warnings);
    expect(previewed).toEqual([[expect.stringContaining('full resync')], [], []]);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestTenant } from '../support/app.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { meetingJson } from '../support/provider.ts';
import {
  type Activity,
  activitiesOf,
  type Connector,
  connectedTenant,
  startConnector,
  syncOf,
} from './support.ts';

const READ = '{ recorderFieldMapping { sourceField targetField transform required } }';
const UPDATE = `mutation ($mappings: [FieldMappingInput!]!) {
  updateRecorderFieldMapping(mappings: $mappings) { sourceField targetField transform required }
}`;

/** The specification's table. */
const DEFAULT = [
  ['id', 'externalId', 'none', true],
  ['title', 'properties.title', 'none', false],
  ['created_at', 'occurredAt', 'none', true],
  ['duration_seconds', 'properties.durationSeconds', 'none', false],
  ['participants[0].email', 'personExternalId', 'lowercase', false],
  ['participants[0].name', 'properties.participantName', 'none', false],
  ['summary', 'properties.summary', 'none', false],
].map(([sourceField, targetField, transform, required]) => ({
  sourceField,
  targetField,
  transform,
  required,
}));

/** The same mapping by JSON pointer. */
const DEFAULT_POINTERS = [
  '/@meeting/id',
  '/@meeting/title',
  '/@meeting/created_at',
  '/@meeting/duration_seconds',
  '/@meeting/participant_email',
  '/@meeting/participant_name',
  '/@meeting/summary',
];

const REQUIRED = [
  { sourceField: 'id', targetField: 'externalId' },
  { sourceField: 'created_at', targetField: 'occurredAt' },
];

let on: Connector;
let tenant: TestTenant;

beforeAll(async () => {
  on = await startConnector();
  tenant = await connectedTenant(on.app);
});
afterAll(() => on.stop());
afterEach(() => on.app.models.FieldMappings.deleteMany({}));

const update = (mappings: unknown) => on.app.graphql(UPDATE, { mappings }, tenant.write);
const read = async () => (await on.app.graphql(READ, {}, tenant.read)).body.data?.recorderFieldMapping;

async function pointers(): Promise<string[]> {
  const { body } = await on.app.graphql('{ recorderFieldMapping { sourcePointer } }', {}, tenant.read);
  const mapping = body.data?.recorderFieldMapping as unknown as { sourcePointer: string }[];
  return mapping.map(({ sourcePointer }) => sourcePointer);
}

/** The activity that one meeting becomes, with these fields changed. */
async function activityOf(changes: object): Promise<Activity> {
  on.provider.behave({ change: () => ({ meetings: [{ ...meetingJson(1), ...changes }] }) });
  await syncOf(on.app, tenant);
  const { edges } = await activitiesOf(on.app, tenant, { first: 1 });
  if (!edges[0]) throw new Error('there is no activity');
  return edges[0].node;
}

describe('the mapping', () => {
  test('requires authentication', async () => {
    await expectProtectedGraphQL(on.app, READ, {}, []);
    await expectProtectedGraphQL(on.app, UPDATE, { mappings: REQUIRED }, [tenant.read]);
    expect(await on.app.models.FieldMappings.countDocuments()).toBe(0);
  });

  test('is the mapping of the specification by default', async () => {
    expect(await read()).toEqual(DEFAULT);
    const created_at = '2026-10-01T09:00:00.000Z';
    const activity = await activityOf({ created_at, started_at: '2026-10-01T09:05:00Z' });
    expect(activity).toEqual({
      externalId: 'recorder_m1',
      type: 'meeting_recorded',
      channel: 'video',
      occurredAt: created_at,
      personExternalId: 'guest.1@example.com',
      properties: {
        source: 'recorder',
        recorderMeetingId: 'm1',
        participantCount: 2,
        durationSeconds: 1_801,
        title: 'Meeting 1',
        participantName: 'Guest 1',
        summary: 'They met as number 1.',
      },
    });
  });

  test('uses the first participant with an address, and the name of the first', async () => {
    const participants = [{ name: 'Telephone' }, { name: 'Ann', email: 'ANN@Example.com' }];
    expect(await activityOf({ participants })).toMatchObject({
      personExternalId: 'ann@example.com',
      properties: { participantName: 'Telephone', participantCount: 2 },
    });
    expect(await activityOf({ participants: [] })).toMatchObject({
      personExternalId: null,
      properties: { participantName: null, participantCount: 0 },
    });
  });

  test('can be changed, and applies from then on', async () => {
    const mappings = [
      { sourceField: 'id', targetField: 'externalId' },
      { sourceField: 'started_at', targetField: 'occurredAt', transform: 'none', required: true },
      { sourceField: 'participants[0].email', targetField: 'personExternalId', transform: 'none' },
      { sourceField: 'title', targetField: 'properties.shout', transform: 'trim' },
      { sourceField: 'created_at', targetField: 'properties.created', required: true },
    ];
    const { body } = await update(mappings);
    const expected = mappings.map((line, index) => ({
      transform: 'none',
      ...line,
      required: [0, 1, 4].includes(index),
    }));
    expect(body.data?.updateRecorderFieldMapping).toEqual(expected);
    expect(await read()).toEqual(expected);

    const at = { created_at: '2026-10-02T09:00:00.000Z', started_at: '2026-10-02T09:05:00.000Z' };
    expect(await activityOf({ ...at, title: '  Hello  ' })).toEqual({
      externalId: 'recorder_m1',
      type: 'meeting_recorded',
      channel: 'video',
      occurredAt: at.started_at,
      personExternalId: 'GUEST.1@Example.COM',
      properties: {
        source: 'recorder',
        recorderMeetingId: 'm1',
        participantCount: 2,
        durationSeconds: 1_801,
        shout: 'Hello',
        created: at.created_at,
      },
    });
  });

  test('has the same meaning by name and by JSON pointer, in the default, submitted and stored', async () => {
    expect(await pointers()).toEqual(DEFAULT_POINTERS);
    const content = { title: ' Named ', created_at: '2026-10-03T09:00:00.000Z' };
    const byName = await activityOf(content);
    const byPointer = DEFAULT.map((field, index) => ({ ...field, sourceField: DEFAULT_POINTERS[index] }));
    expect((await update(byPointer)).body.data?.updateRecorderFieldMapping).toEqual(byPointer);
    expect(await pointers()).toEqual(DEFAULT_POINTERS);
    expect(await activityOf(content)).toEqual(byName);

    expect((await update(DEFAULT)).body.data?.updateRecorderFieldMapping).toEqual(DEFAULT);
    const stored = await on.app.models.FieldMappings.findById(tenant.customerId).lean();
    expect(stored?.mappings).toEqual(DEFAULT);
    expect(await pointers()).toEqual(DEFAULT_POINTERS);
    expect(await activityOf(content)).toEqual(byName);
  });

  test("tells the service's field from the provider's own member", async () => {
    await update([
      ...REQUIRED,
      { sourceField: '/@meeting/title', targetField: 'properties.read' },
      { sourceField: '/title', targetField: 'properties.sent' },
    ]);
    // A malformed title is null, whereas the record keeps what the provider sent.
    const { properties } = await activityOf({ title: 7, '@meeting': { title: 'of the record' } });
    expect(properties).toMatchObject({ read: null, sent: 7 });
  });

  test('truncates a long summary at a character boundary', async () => {
    const { properties } = await activityOf({ summary: `${'x'.repeat(4_095)}😀${'y'.repeat(100)}` });
    expect(String(properties.summary)).toHaveLength(4_096);
    expect(String(properties.summary).isWellFormed()).toBe(true);
  });

  test('belongs to one tenant', async () => {
    await update(REQUIRED);
    const other = await on.app.newTenant();
    const { body } = await on.app.graphql(READ, {}, other.read);
    expect(body.data?.recorderFieldMapping).toEqual(DEFAULT);
  });

  test('is kept when the recorder is disconnected', async () => {
    const other = await connectedTenant(on.app);
    await on.app.graphql(UPDATE, { mappings: REQUIRED }, other.write);
    await on.app.graphql('mutation { disconnectRecorder }', {}, other.write);
    const { body } = await on.app.graphql(READ, {}, other.read);
    expect(body.data?.recorderFieldMapping).toHaveLength(2);
  });
});

describe('a mapping is rejected', () => {
  const line = (targetField: string, sourceField = 'title', more: object = {}) => ({
    sourceField,
    targetField,
    ...more,
  });

  test.each([
    ['without externalId', REQUIRED.slice(1), 'mappings'],
    ['without occurredAt', REQUIRED.slice(0, 1), 'mappings'],
    [
      'with an unknown source',
      [...REQUIRED, line('properties.a', 'participants[1].email')],
      'mappings.2.sourceField',
    ],
    [
      'with a source of every object',
      [...REQUIRED, line('properties.a', 'constructor')],
      'mappings.2.sourceField',
    ],
    [
      "with an unknown field of the service's own",
      [...REQUIRED, line('properties.a', '/@meeting/participants/0/name')],
      'mappings.2.sourceField',
    ],
    [
      'with a pointer to no time',
      [REQUIRED[0], line('occurredAt', '/@meeting/title')],
      'mappings.1.sourceField',
    ],
    [
      'with a pointer to a number in lower case',
      [...REQUIRED, line('properties.a', '/@meeting/duration_seconds', { transform: 'lowercase' })],
      'mappings.2.transform',
    ],
    ['with an unknown target', [...REQUIRED, line('score')], 'mappings.2.targetField'],
    ['with a property that is no name', [...REQUIRED, line('properties.$where')], 'mappings.2.targetField'],
    ['with a property of a property', [...REQUIRED, line('properties.a.b')], 'mappings.2.targetField'],
    ['with __proto__', [...REQUIRED, line('properties.__proto__')], 'mappings.2.targetField'],
    [
      'with a name that is too long',
      [...REQUIRED, line(`properties.${'x'.repeat(65)}`)],
      'mappings.2.targetField',
    ],
    [
      'with a property that is always there',
      [...REQUIRED, line('properties.source')],
      'mappings.2.targetField',
    ],
    [
      'with a target twice',
      [...REQUIRED, line('properties.a'), line('properties.a', 'summary')],
      'mappings.3.targetField',
    ],
    ['with an externalId that is no id', [line('externalId'), REQUIRED[1]], 'mappings.0.sourceField'],
    [
      'with an externalId that is changed',
      [line('externalId', 'id', { transform: 'lowercase' }), REQUIRED[1]],
      'mappings.0.transform',
    ],
    [
      'with an occurredAt that is no time',
      [REQUIRED[0], line('occurredAt', 'duration_seconds')],
      'mappings.1.sourceField',
    ],
    [
      'with an occurredAt that need not be',
      [REQUIRED[0], line('occurredAt', 'created_at', { required: false })],
      'mappings.1.required',
    ],
    [
      'with a number for a person',
      [...REQUIRED, line('personExternalId', 'duration_seconds')],
      'mappings.2.sourceField',
    ],
    ['with another duration', [...REQUIRED, line('properties.durationSeconds')], 'mappings.2.sourceField'],
    [
      'with a number in lower case',
      [...REQUIRED, line('properties.a', 'duration_seconds', { transform: 'lowercase' })],
      'mappings.2.transform',
    ],
    [
      'with a required field that may be missing',
      [...REQUIRED, line('properties.a', 'title', { required: true })],
      'mappings.2.required',
    ],
  ])('%s', async (_what, mappings, path) => {
    const { body } = await update(mappings);
    const [error] = body.errors as unknown as {
      extensions: { code: string; details: { path: string; message: string }[] };
    }[];
    expect(error?.extensions.code).toBe('VALIDATION_FAILED');
    expect(error?.extensions.details.map((detail) => detail.path)).toEqual([path]);
    expect(error?.extensions.details[0]?.message).toMatch(/^Must .+\.$/);
    expect(await read()).toEqual(DEFAULT);
  });

  test.each([
    ['an unknown transform', [...REQUIRED, line('properties.a', 'title', { transform: 'uppercase' })]],
    ['nothing', []],
    ['31 fields', [...REQUIRED, ...Array.from({ length: 29 }, (_, i) => line(`properties.p${i}`))]],
  ])('with %s', async (_what, mappings) => {
    const { body } = await update(mappings);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
    expect(await read()).toEqual(DEFAULT);
  });
});

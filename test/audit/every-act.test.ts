import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUDITED_ACTS, NOT_AUDITED } from '../../schema/audit/audited-acts.ts';
import {
  createFixture,
  documentOf,
  type Fixture,
  graphqlSamples,
  MUTATIONS,
  ROUTES,
  restBody,
} from '../http/samples.ts';
import { type Answer, eventually, startApp, type TestApp } from '../support/app.ts';
import { startProvider, type TestProvider } from '../support/provider.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type FakeSidecar, startFakeSidecar } from '../support/sidecar.ts';

/** What the log has to say of a mutation that succeeds. */
interface Recorded {
  target: string;
  /** The tenant's log by default. */
  log?: 'service' | 'any';
  before?: object;
  after?: object;
}

const ofService = (target: string, after?: object): Recorded => ({
  target,
  log: 'service',
  ...(after && { after }),
});
const SETTINGS = { features: [{ feature: 'visits', weight: 2, threshold: 0.5 }, { feature: 'prediction' }] };

/** Target and change by the name of the mutation. An act without a row has an entry as well. */
const RECORDED: Record<string, Recorded> = {
  createWebhookEndpoint: {
    target: 'webhookEndpoint',
    after: { url: 'https://receiver.example.com/hooks', description: 'CRM', events: ['outcome.marked'] },
  },
  updateWebhookEndpoint: {
    target: 'webhookEndpoint',
    before: { events: ['conversion.recorded'] },
    after: { url: 'https://receiver.example.com/hooks', events: null },
  },
  rotateWebhookSecret: { target: 'webhookEndpoint', after: { secret: 'rotated', overlapSeconds: 0 } },
  sendTestWebhook: { target: 'webhookEndpoint', after: { event: 'outcome.marked' } },
  resendWebhookDelivery: { target: 'webhookDelivery' },
  recoverWebhookDeliveries: { target: 'webhookEndpoint', after: { queued: expect.any(Number) } },
  replayWebhookDeliveries: { target: 'webhookEndpoint', after: { count: expect.any(Number) } },
  retryWebhookBacklog: { target: 'webhookEndpoint', after: { count: expect.any(Number) } },
  cancelWebhookBacklog: { target: 'webhookEndpoint', after: { cancelled: expect.any(Number) } },
  deleteWebhookEndpoint: { target: 'webhookEndpoint', before: { url: expect.any(String) } },
  seekEventFeed: { target: 'eventFeed', after: { to: 'beginning', consumer: null } },
  deleteEventFeed: { target: 'eventFeed', after: { deleted: true, cursor: expect.any(String) } },
  createTenant: ofService('tenant', { customerId: 2_000_000_001, orgId: 'org_new', name: 'New' }),
  // The samples differ: a key of the customer, and an admin key.
  createApiKey: { target: 'apiKey', log: 'any', after: { revokedAt: null } },
  revokeApiKey: { target: 'apiKey', after: { scope: 'read', revokedAt: expect.any(String) } },
  suspendTenant: { target: 'tenant', log: 'any', before: { suspended: false }, after: { suspended: true } },
  resumeTenant: { target: 'tenant', log: 'any', before: { suspended: true }, after: { suspended: false } },
  updateApiKey: { target: 'apiKey', before: { name: null }, after: { name: 'CRM' } },
  rotateApiKey: {
    target: 'apiKey',
    after: { replacedBy: expect.stringMatching(/^[0-9a-f]{24}$/), overlapSeconds: expect.any(Number) },
  },
  updateRetention: {
    target: 'retention',
    before: { conversations: null },
    after: { conversations: 365 },
  },
  connectRecorder: {
    target: 'recorderConnection',
    after: { status: 'connected', connectedAt: expect.any(String), hasWebhookSecret: false },
  },
  disconnectRecorder: { target: 'recorderConnection', before: { hasWebhookSecret: true } },
  setRecorderWebhookSecret: { target: 'recorderConnection', after: { secret: 'set' } },
  rotateRecorderWebhook: { target: 'recorderConnection', after: { address: 'rotated' } },
  updateRecorderFieldMapping: {
    target: 'recorderFieldMapping',
    before: { mappings: expect.any(Array) },
    after: { mappings: [{ sourceField: 'id' }, { sourceField: 'created_at' }] },
  },
  syncMeetings: { target: 'meetingSync', after: {} },
  cancelMeetingSync: { target: 'meetingSync' },
  pauseMeetingSync: { target: 'meetingSync' },
  resumeMeetingSync: { target: 'meetingSync' },
  triggerDriftCheck: ofService('driftCheck', { stage: 'trial' }),
  setDriftFeatureSettings: ofService('driftFeatureSettings', SETTINGS),
  acknowledgeDriftAlert: ofService('driftAlert', { note: 'Known' }),
  withdrawDriftAcknowledgement: ofService('driftAlert'),
  muteDriftFeature: ofService('driftFeature', {}),
  unmuteDriftFeature: ofService('driftFeature', {}),
  createDriftPlannedChange: ofService('driftPlannedChange', { type: 'campaign', title: 'Spring' }),
  deleteDriftPlannedChange: ofService('driftPlannedChange'),
  deleteTenant: ofService('tenant', { deletionId: expect.any(String), deliveries: 'cancel' }),
  erasePeople: {
    target: 'erasures',
    after: { suppress: true, deliveries: 'cancel', erasures: expect.any(Number) },
  },
  erasePerson: { target: 'erasure', after: { suppress: true, deliveries: 'cancel' } },
  endConsoleSession: { target: 'consoleSession', after: { address: null } },
  liftSuppression: { target: 'suppression', after: { type: 'visitor_id' } },
  deleteConversation: { target: 'conversation', after: { deleted: true } },
  deleteMeeting: { target: 'meeting', after: { deleted: true, suppressionId: expect.any(String) } },
};

/** Targets of acts that concern all of their type. */
const WITHOUT_ID = [
  ...['recorderConnection', 'recorderFieldMapping', 'driftCheck', 'driftFeatureSettings', 'meetingSync'],
  'erasures',
];

let app: TestApp;
let receiver: Receiver;
let sidecar: FakeSidecar;
let provider: TestProvider;
const known = new Set<string>();
/** Secrets that were sent or answered. */
const secrets = ['rec_live_1', 'bm90IGEgcmVhbCBzaWduaW5nIHNlY3JldA'];

beforeAll(async () => {
  [receiver, sidecar, provider] = [await startReceiver(), await startFakeSidecar(), await startProvider()];
  app = await startApp({
    ML_SIDECAR_URL: sidecar.url,
    DRIFT_CHECK_SCHEDULE: 'off',
    RECORDER_API_URL: provider.url,
    CONNECTOR_PACING: '1ms',
  });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([receiver.stop(), sidecar.stop(), provider.stop()]);
});

/** Returns the entries that were added since the last call. */
async function added() {
  const entries = await app.models.AuditEntry.find().sort({ at: 1, _id: 1 }).lean();
  const fresh = entries.filter(({ _id }) => !known.has(String(_id)));
  for (const { _id } of fresh) known.add(String(_id));
  return fresh;
}

const state = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** Performs an act and checks its entry. */
async function expectRecorded(
  name: string,
  { key, customerId }: { key: string; customerId: number },
  perform: () => Promise<Answer>,
): Promise<void> {
  // A recovery or a replay begins only after the one before.
  await eventually(async () => (await app.models.Recovery.countDocuments({ customerId })) === 0);
  await added();
  const { status, body, headers } = await perform();
  expect.soft([status < 300, body.errors], `${name}: ${JSON.stringify(body)}`).toEqual([true, undefined]);
  for (const [, secret = ''] of JSON.stringify(body).matchAll(/"((?:whsec_|eg_[rwa]_)[^"]{20,})"/g))
    secrets.push(secret.replace('whsec_', ''));
  const entries = await added();
  expect
    .soft(
      entries.map(({ action }) => action),
      name,
    )
    .toEqual(AUDITED_ACTS[name] ? [name] : []);
  const [entry] = entries;
  if (!entry) return;
  expect.soft(entry, name).toMatchObject({
    actor: { type: 'key', id: expect.stringMatching(/^[0-9a-f]{24}$/), prefix: key.slice(0, 11) },
    clientAddress: '127.0.0.1',
    requestId: headers.get('x-request-id'),
    outcome: 'done',
    count: 1,
  });
  if (!WITHOUT_ID.includes(entry.target.type)) expect(entry.target.id, name).toEqual(expect.any(String));
  const recorded = RECORDED[name];
  if (!recorded) return;
  const { target, log, before, after } = recorded;
  const expected = { service: 0, any: expect.any(Number), tenant: customerId }[log ?? 'tenant'];
  expect.soft(entry, name).toMatchObject({ log: expected, target: { type: target } });
  expect.soft(state(entry.before), name).toEqual(before ? expect.objectContaining(before) : null);
  if (after) expect(state(entry.after), name).toMatchObject(after);
  else expect(state(entry.after), name).toBeNull();
}

/** The sample, made to change something. */
const forReal = <T extends object>(values: T): T => {
  if ('input' in values && 'dryRun' in (values.input as object))
    return { ...values, input: { ...(values.input as object), dryRun: false } };
  return 'dryRun' in values ? { ...values, dryRun: false } : values;
};

const expectNoSecret = async () => {
  const log = JSON.stringify(await app.models.AuditEntry.find().lean());
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
};

describe('every mutation', () => {
  test('of GraphQL leaves its entry, and only its entry', async () => {
    const fixture = await createFixture(app, receiver.url);
    const performed: string[] = [];
    for (const [name, { variables, admin }] of Object.entries(graphqlSamples(fixture))) {
      const mutation = MUTATIONS.find((field) => field.name === name);
      if (!mutation) continue;
      const key = admin ? app.admin : fixture.tenant.write;
      await expectRecorded(name, { key, customerId: fixture.ids.customerId }, () =>
        app.graphql(documentOf(mutation), forReal(variables), key),
      );
      performed.push(name);
    }
    const reachable = [...Object.keys(AUDITED_ACTS), ...NOT_AUDITED].filter((name) =>
      MUTATIONS.some((field) => field.name === name),
    );
    expect(performed.toSorted()).toEqual(reachable.toSorted());
    await expectNoSecret();
  });

  test('of REST leaves its entry, and only its entry', async () => {
    // The fixture creates them again, and they belong to no customer.
    await app.models.DriftAlert.deleteMany({});
    await app.models.DriftPlannedChange.deleteMany({});
    const fixture = await createFixture(app, receiver.url);
    const mutations = ROUTES.filter(({ method }) => method !== 'GET');
    for (const { fieldId, method, pattern, scope } of inOrder(mutations)) {
      const name = fieldId.replace('Mutation.', '');
      const path = pattern.replaceAll(/:(\w+)/g, (_match, parameter: string) =>
        String(fixture.ids[parameter as keyof Fixture['ids']]),
      );
      const key = scope === 'admin' ? app.admin : fixture.tenant.write;
      const body = forReal(restBody(fieldId, fixture) ?? {});
      await expectRecorded(name, { key, customerId: fixture.ids.customerId }, () =>
        app.request(method, path, { key, ...(method !== 'DELETE' && { body }) }),
      );
    }
    // Of the new endpoint and of the rotated secret.
    expect(secrets.length).toBeGreaterThan(3);
    await expectNoSecret();
  });
});

/** A delivery is resent before its endpoint is changed, and what is deleted is deleted last, the customer after all. */
function inOrder<T extends { fieldId: string; method: string }>(routes: T[]): T[] {
  const rank = ({ fieldId, method }: T) =>
    fieldId.endsWith('.resendWebhookDelivery')
      ? 0
      : fieldId.endsWith('.deleteWebhookEndpoint')
        ? 3
        : fieldId.endsWith('.deleteTenant')
          ? 4
          : method === 'DELETE'
            ? 2
            : 1;
  return routes.toSorted((a, b) => rank(a) - rank(b));
}

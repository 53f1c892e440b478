import { onTestFinished } from 'vitest';
import type { Logger } from '../../src/platform/logger.ts';
import {
  type Answer,
  eventually,
  type Json,
  startApp,
  type TestApp,
  type TestTenant,
} from '../support/app.ts';
import { LIVENESS_TIMEOUT_MS } from '../support/eventually.ts';
import { startProvider, type TestProvider, type TestProviderOptions } from '../support/provider.ts';

/** A key that the fake provider accepts. */
export const API_KEY = 'rec_live_0123456789abcdef';
/** One that it does not. */
export const INVALID_KEY = 'rec_invalid';

export const RUN_FIELDS = `id status scope since until startedAt finishedAt pages fetched stored updated unchanged rejected
  skipped rateLimited oldestMeetingAt meetingsPerMinute estimatedRemainingSeconds
  warnings warningDetails { meeting path reason }
  error { code message }`;

export const CONNECT = `mutation ($apiKey: String!) {
  connectRecorder(apiKey: $apiKey) { status connectedAt lastSyncAt nextSyncAt lastRun { id } }
}`;
export const DISCONNECT = 'mutation { disconnectRecorder }';
export const CONNECTION = `{ recorderConnection {
  status connectedAt lastSyncAt nextSyncAt lastRun { ${RUN_FIELDS} }
} }`;
export const SYNC = `mutation { syncMeetings { ${RUN_FIELDS} } }`;
export const CANCEL = `mutation { cancelMeetingSync { ${RUN_FIELDS} } }`;
const RUNS = `query ($first: Int, $after: String) { meetingSyncRuns(first: $first, after: $after) {
  edges { cursor node { ${RUN_FIELDS} } } pageInfo { hasNextPage endCursor }
} }`;
const MEETINGS = `query ($first: Int, $after: String, $since: DateTime, $search: String) {
  meetings(first: $first, after: $after, since: $since, search: $search) {
    edges { cursor node { recorderMeetingId title startedAt } } pageInfo { hasNextPage endCursor }
  }
}`;
const MEETING = `query ($id: String!) { meeting(recorderMeetingId: $id) {
  recorderMeetingId title startedAt endedAt participantsJson { name email role }
  transcriptJson { speaker text startTime endTime } summaryText sentimentScore deletedAt
  warnings { path reason }
} }`;
const ACTIVITIES = `query ($first: Int, $after: String, $personExternalId: String) {
  meetingActivities(first: $first, after: $after, personExternalId: $personExternalId) {
    edges { cursor node { externalId type channel occurredAt personExternalId properties } }
    pageInfo { hasNextPage endCursor }
  }
}`;

export interface Run {
  id: string;
  status: 'running' | 'paused' | 'succeeded' | 'failed' | 'cancelled';
  scope: 'incremental' | 'range' | 'full' | 'comparison';
  since: string;
  until: string | null;
  startedAt: string;
  finishedAt: string | null;
  pages: number;
  fetched: number;
  stored: number;
  updated: number;
  unchanged: number;
  rejected: number;
  skipped: number;
  rateLimited: number;
  oldestMeetingAt: string | null;
  meetingsPerMinute: number | null;
  estimatedRemainingSeconds: number | null;
  warnings: number;
  warningDetails: { meeting: string; path: string; reason: string }[];
  error: { code: string; message: string } | null;
}

export interface Rows<T> {
  edges: { cursor: string; node: T }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface Activity {
  externalId: string;
  occurredAt: string;
  personExternalId: string | null;
  properties: Record<string, unknown>;
}

/** Returns the root field `name` of a query. Throws if the response has errors. */
async function ask<T>(
  app: TestApp,
  query: string,
  variables: Record<string, unknown>,
  key: string,
  name: string,
): Promise<T> {
  const { body } = await app.graphql(query, variables, key);
  if (body.errors || !body.data) throw new Error(JSON.stringify(body));
  return body.data[name] as unknown as T;
}

/** Code of the first error of an answer. */
export const codeOf = ({ body }: Answer): unknown =>
  (body.errors as unknown as { extensions: Json }[] | undefined)?.[0]?.extensions.code;

/** The service with a provider beside it, both for one test file. Waits that the provider asks for take no time. */
export async function startConnector(
  options: TestProviderOptions = {},
  env: Record<string, string> = {},
  log?: Logger,
): Promise<Connector> {
  const provider = await startProvider(options);
  const app = await startApp(
    {
      RECORDER_API_URL: provider.url,
      CONNECTOR_PACING: '1ms',
      MEETING_SYNC_SCHEDULE: 'off',
      DRIFT_CHECK_SCHEDULE: 'off',
      ...env,
    },
    { wait: async (_ms, signal) => signal?.throwIfAborted(), log },
  );
  return {
    app,
    provider,
    async stop() {
      await app.stop();
      await provider.stop();
    },
  };
}

export interface Connector {
  app: TestApp;
  provider: TestProvider;
  stop(): Promise<void>;
}

/** The same, for one test. */
export async function connector(
  options: TestProviderOptions = {},
  env: Record<string, string> = {},
  log?: Logger,
): Promise<Connector> {
  const started = await startConnector(options, env, log);
  onTestFinished(() => started.stop());
  return started;
}

/** A new tenant that is connected; each has a key of its own, and so a pace of its own. */
export async function connectedTenant(app: TestApp): Promise<TestTenant> {
  const tenant = await app.newTenant();
  await ask(app, CONNECT, { apiKey: `${API_KEY}_${tenant.customerId}` }, tenant.write, 'connectRecorder');
  return tenant;
}

export const startSync = (app: TestApp, tenant: TestTenant): Promise<Run> =>
  ask(app, SYNC, {}, tenant.write, 'syncMeetings');

export const runsOf = (
  app: TestApp,
  tenant: TestTenant,
  variables: Record<string, unknown> = {},
): Promise<Rows<Run>> => ask(app, RUNS, variables, tenant.read, 'meetingSyncRuns');

/** The run as soon as it is not running any more. */
export const ended = (
  app: TestApp,
  tenant: TestTenant,
  id: string,
  timeoutMs = LIVENESS_TIMEOUT_MS,
): Promise<Run> =>
  eventually(async () => {
    const { edges } = await runsOf(app, tenant);
    return edges.map(({ node }) => node).find((run) => run.id === id && run.status !== 'running');
  }, timeoutMs);

/** A sync from its start to its end. */
export const syncOf = async (app: TestApp, tenant: TestTenant): Promise<Run> =>
  ended(app, tenant, (await startSync(app, tenant)).id);

export const connectionOf = (app: TestApp, tenant: TestTenant): Promise<Json | null> =>
  ask(app, CONNECTION, {}, tenant.read, 'recorderConnection');

export const meetingsOf = (
  app: TestApp,
  tenant: TestTenant,
  variables: Record<string, unknown> = {},
): Promise<Rows<{ recorderMeetingId: string; title: string; startedAt: string }>> =>
  ask(app, MEETINGS, variables, tenant.read, 'meetings');

/** Ids of the first page of meetings. */
export const idsOf = async (
  app: TestApp,
  tenant: TestTenant,
  variables: Record<string, unknown> = {},
): Promise<string[]> =>
  (await meetingsOf(app, tenant, variables)).edges.map(({ node }) => node.recorderMeetingId);

export const meetingOf = (app: TestApp, tenant: TestTenant, id: string): Promise<Json | null> =>
  ask(app, MEETING, { id }, tenant.read, 'meeting');

export const activitiesOf = (
  app: TestApp,
  tenant: TestTenant,
  variables: Record<string, unknown> = {},
): Promise<Rows<Activity>> => ask(app, ACTIVITIES, variables, tenant.read, 'meetingActivities');

/** Requests for pages that have come with the tenant's key. */
export const pagesAsked = (provider: TestProvider, { customerId }: TestTenant) =>
  provider.requests.filter(({ path, key }) => path === '/meetings' && key === `${API_KEY}_${customerId}`);

/** The scheduled sync, which is due at once, from its start to its end. */
export async function scheduledSync(app: TestApp, tenant: TestTenant): Promise<Run> {
  const known = new Set((await runsOf(app, tenant)).edges.map(({ node }) => node.id));
  await app.models.ProviderConnection.updateOne(
    { _id: tenant.customerId },
    { $set: { nextSyncAt: new Date(0) } },
  );
  const started = await eventually(async () =>
    (await runsOf(app, tenant)).edges.map(({ node }) => node).find(({ id }) => !known.has(id)),
  );
  return ended(app, tenant, started.id);
}

const SEARCH = `query ($query: String!) {
  meetingSearch(query: $query) { edges { node { meeting { recorderMeetingId } } } }
}`;

/** Ids of the meetings that the ranked search finds. */
export async function searchedIds(app: TestApp, tenant: TestTenant, query: string): Promise<string[]> {
  const { edges } = await ask<Rows<{ meeting: { recorderMeetingId: string } }>>(
    app,
    SEARCH,
    { query },
    tenant.read,
    'meetingSearch',
  );
  return edges.map(({ node }) => node.meeting.recorderMeetingId);
}

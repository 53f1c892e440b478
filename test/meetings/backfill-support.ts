import type { Answer, Json, TestApp, TestTenant } from '../support/app.ts';
import { ended, type Rows, RUN_FIELDS, type Run } from './support.ts';

export const BACKFILL = `mutation ($since: DateTime, $until: DateTime, $fullResync: Boolean) {
  syncMeetings(since: $since, until: $until, fullResync: $fullResync) { ${RUN_FIELDS} }
}`;
export const PAUSE = `mutation { pauseMeetingSync { ${RUN_FIELDS} } }`;
export const RESUME = `mutation { resumeMeetingSync { ${RUN_FIELDS} } }`;
export const LOG = `query ($id: ID!, $first: Int, $after: String) { meetingSyncRun(id: $id) {
  id log(first: $first, after: $after) {
    edges { cursor node { at type page count durationMs detail } } pageInfo { hasNextPage endCursor }
  }
} }`;

export interface LogEntry {
  at: string;
  type: string;
  page: number | null;
  count: number | null;
  durationMs: number | null;
  detail: string | null;
}

export interface Range {
  since?: unknown;
  until?: unknown;
  fullResync?: unknown;
}

/** Returns the only root field of an answer. Throws if it has errors. */
export function resultOf<T>({ body }: Answer): T {
  if (body.errors || !body.data) throw new Error(JSON.stringify(body));
  return Object.values(body.data)[0] as unknown as T;
}

export const startBackfill = async (app: TestApp, tenant: TestTenant, range: Range): Promise<Run> =>
  resultOf(await app.graphql(BACKFILL, { ...range }, tenant.write));

/** A sync of a range, from its start to its end. */
export const backfillOf = async (app: TestApp, tenant: TestTenant, range: Range): Promise<Run> =>
  ended(app, tenant, (await startBackfill(app, tenant, range)).id);

export const pause = async (app: TestApp, tenant: TestTenant): Promise<Run | null> =>
  resultOf(await app.graphql(PAUSE, {}, tenant.write));
export const resume = async (app: TestApp, tenant: TestTenant): Promise<Run | null> =>
  resultOf(await app.graphql(RESUME, {}, tenant.write));

/** The log of a run, newest first; null if the tenant has no such run. */
export const logOf = async (
  app: TestApp,
  tenant: TestTenant,
  variables: { id: string; first?: number; after?: string | null },
): Promise<Rows<LogEntry> | null> =>
  resultOf<{ log: Rows<LogEntry> } | null>(await app.graphql(LOG, variables, tenant.read))?.log ?? null;

/** The first 100 entries of the log, oldest first. */
export const entriesOf = async (app: TestApp, tenant: TestTenant, id: string): Promise<LogEntry[]> =>
  ((await logOf(app, tenant, { id, first: 100 }))?.edges ?? []).map(({ node }) => node).reverse();

/** Paths and messages of the issues of an answer. */
export const issuesOf = ({ body }: Answer): unknown =>
  (body.errors as unknown as { extensions: Json }[] | undefined)?.[0]?.extensions.details;

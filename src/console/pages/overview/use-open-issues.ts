import { useQuery } from '@tanstack/react-query';
import { toReadableError } from '../../api/error-messages.ts';
import { hasErrorCode } from '../../api/graphql-client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { DAY_MS, formatCount, formatNumber } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { HandedOffConversationsQuery } from '../../generated/graphql.ts';
import { bySeverity, type OpenIssue } from '../../open-issue.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { visitorName } from '../conversations/visitor-name.ts';
import { ALL_SAMPLES, driftStagesQuery, driftStatusQuery, useStageStatuses } from '../drift/drift-queries.ts';
import type { DriftStatus } from '../drift/drift-verdict.ts';
import { isConnection, type Recorder, recorderQuery } from '../meetings/use-recorder.ts';
import {
  endpointProblems,
  isWithoutSuccess,
  type MonitoredEndpoint,
  monitoredEndpointsQuery,
} from '../webhooks/endpoints/endpoint-problems.ts';
import { useEndpointResults } from '../webhooks/endpoints/use-endpoint-statistics.ts';
import { ENDPOINTS_REFRESH_MS, endpointName } from '../webhooks/endpoints/use-endpoints.ts';
import { type RecentActivity, recentActivityQuery, useRecentActivity } from './use-recent-activity.ts';

/** The service reads the handoffs of each conversation, so the page is small. */
const HANDED_OFF = graphql(`
  query HandedOffConversations {
    conversations(first: 50, status: handed_off) {
      pageInfo {
        hasNextPage
      }
      edges {
        node {
          id
          visitorId
          identity {
            firstName
            lastName
            email
          }
          handoffs {
            id
            urgency
            requestedAt
          }
        }
      }
    }
  }
`);

/** Conversations that wait for an operator. */
interface HandoffQueue {
  /** The newest ones. */
  conversations: readonly HandedOffConversationsQuery['conversations']['edges'][number]['node'][];
  hasMore: boolean;
}

const REFRESH_MS = 30_000;

const LATEST_FAILED = graphql(`
  query LatestFailed($since: DateTime!) {
    webhookDeliveries(first: 1, status: failed, since: $since) {
      edges {
        node {
          id
          lastAttemptAt
        }
      }
    }
  }
`);

/** Failed deliveries of the last 24 hours, for a key that may not read the activity of the customer as a whole. */
const latestFailedQuery = ({ call, customerId, isLimited, canRead }: Session) => ({
  queryKey: queryKeys.latestFailed(customerId),
  queryFn: async (): Promise<FailedDeliveries> => {
    const since = new Date(Date.now() - DAY_MS).toISOString();
    const latestFailed = (await call(LATEST_FAILED, { since })).webhookDeliveries.edges[0]?.node ?? null;
    return { subject: latestFailed && 'Deliveries', latestFailed };
  },
  enabled: isLimited && canRead('webhooks'),
});

/** The newest conversations that are handed off, with the urgency of their handoffs. */
const handoffQueueQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.handoffQueue(customerId),
  queryFn: async (): Promise<HandoffQueue> => {
    const { edges, pageInfo } = (await call(HANDED_OFF)).conversations;
    return { conversations: edges.map(({ node }) => node), hasMore: pageInfo.hasNextPage };
  },
});

/** Results of endpoints, by the ID of the endpoint; undefined until they are loaded. */
type EndpointResults = ReturnType<typeof useEndpointResults>['data'];

function endpointIssues(endpoints: readonly MonitoredEndpoint[], results: EndpointResults): OpenIssue[] {
  const nowMs = Date.now();
  return endpoints.flatMap((endpoint) => {
    const failingSince = results?.get(endpoint.id)?.statistics.failingSince ?? null;
    return endpointProblems(endpoint, { nowMs, failingSince }).map(({ title, ...problem }) => ({
      ...problem,
      text: `${title}: ${endpointName(endpoint)}`,
      to: `/webhooks/${endpoint.id}`,
    }));
  });
}

interface FailedDeliveries {
  /** Subject of a sentence about them; null if there are none. */
  subject: string | null;
  latestFailed: { id: string; lastAttemptAt: string | null } | null;
}

const failedIn = ({ deliveries, latestFailed }: RecentActivity): FailedDeliveries => {
  const count = deliveries.find(({ status }) => status === 'failed')?.count ?? 0;
  return { subject: count > 0 ? formatCount(count, 'delivery', 'deliveries') : null, latestFailed };
};

function deliveryIssues({ subject, latestFailed }: FailedDeliveries): OpenIssue[] {
  if (subject === null) return [];
  const text = `${subject} failed in the last 24 hours`;
  const age = latestFailed?.lastAttemptAt ? { label: 'latest', at: latestFailed.lastAttemptAt } : null;
  const id = `failed:${latestFailed?.id ?? null}`;
  return [{ id, severity: 'warning', text, age, to: '/deliveries?status=failed' }];
}

/** Lists conversations whose urgent hand-off waits for an operator. */
function handoffIssues({ conversations, hasMore }: HandoffQueue): OpenIssue[] {
  const urgent = conversations.flatMap((conversation): OpenIssue[] =>
    conversation.handoffs
      .filter(({ urgency }) => urgency === 'urgent')
      .slice(-1)
      .map(({ id, requestedAt }) => ({
        id: `urgent:${id}`,
        severity: 'critical',
        age: { label: 'requested', at: requestedAt },
        text: `Urgent handoff: ${visitorName(conversation)}`,
        to: `/conversations/${conversation.id}`,
      })),
  );
  if (!hasMore) return urgent;
  const text = `More than ${formatNumber(conversations.length)} conversations are handed off; only the newest are checked for urgent handoffs`;
  return [
    ...urgent,
    { id: 'backlog', severity: 'warning', age: null, text, to: '/conversations?status=handed_off' },
  ];
}

/** @param stages status of each stage by its name */
function driftIssues(
  overall: DriftStatus | undefined,
  stages: readonly (readonly [string, DriftStatus])[],
): OpenIssue[] {
  const score = ({ driftScore, threshold }: DriftStatus): string =>
    `score ${driftScore.toFixed(2)}, threshold ${threshold}`;
  const driftedStages = stages.filter(([, status]) => status.isDrifted);
  const checked = ({ lastChecked }: DriftStatus): OpenIssue['age'] =>
    lastChecked === null ? null : { label: 'checked', at: lastChecked };
  const stageIssues = driftedStages.map(
    ([stage, status]): OpenIssue => ({
      id: `stage:${stage}`,
      severity: 'warning',
      age: checked(status),
      text: `Stage ${stage} has drifted (${score(status)})`,
      to: `/drift?stage=${encodeURIComponent(stage)}`,
    }),
  );
  if (!overall) return stageIssues;
  const common = { to: '/drift', age: checked(overall) };
  if (overall.isDrifted) {
    const text = `The scoring model has drifted (${score(overall)})`;
    return [{ id: 'all', severity: 'critical', text, ...common }, ...stageIssues];
  }
  const features = overall.featureDrifts.filter(({ drifted }) => drifted).map(({ feature }) => feature);
  if (features.length === 0) return stageIssues;
  const text = `No overall drift, but these features drifted: ${features.join(', ')}`;
  return [{ id: `features:${features.join(',')}`, severity: 'warning', text, ...common }, ...stageIssues];
}

function recorderIssues(recorder: Recorder): OpenIssue[] {
  const to = '/meetings/settings';
  if (!isConnection(recorder)) return [];
  if (recorder.status === 'key_invalid')
    return [
      {
        id: 'key_invalid',
        severity: 'critical',
        text: 'Meetings are not synced: the provider rejected the API key',
        age: null,
        to,
      },
    ];
  if (recorder.status === 'failing') {
    const { code, message } = recorder.lastRun?.error ?? {};
    const text = message ? `The last meeting sync failed: ${message}` : 'The last meeting sync failed';
    return [{ id: `failing:${code}`, severity: 'warning', text, age: null, to }];
  }
  return [];
}

interface SourceQuery<D> {
  data: D | undefined;
  error: Error | null;
  isPending: boolean;
  isEnabled: boolean;
}

/** A part of the service with its issues. Each part loads and fails on its own. */
export interface IssueSource {
  /** Prefix of the issues' IDs. */
  name: string;
  /** Subject of a sentence about the part. */
  subject: string;
  /** Completes “No …” while the part has no issue. */
  absence: string;
  /** False if the key may not read it. */
  isReadable: boolean;
  loading: boolean;
  issues: OpenIssue[];
  /** Explanation if the part fails to load; null otherwise. */
  failure: OpenIssue | null;
}

interface SourceParts extends Pick<IssueSource, 'name' | 'subject' | 'absence'> {
  /** Page that shows the failure to load. */
  to: string;
  queries: readonly SourceQuery<unknown>[];
  issues: OpenIssue[];
}

function issueSource({ name, subject, absence, to, queries, issues }: SourceParts): IssueSource {
  const error = queries.find((query) => query.error)?.error;
  return {
    name,
    subject,
    absence,
    isReadable: queries.every(({ isEnabled }) => isEnabled),
    loading: queries.some(({ isPending }) => isPending),
    issues: issues.map((issue) => ({ ...issue, id: `${name}:${issue.id}` })).sort(bySeverity),
    failure: error
      ? {
          id: `${name}:unavailable`,
          severity: 'critical',
          text: `${subject} unavailable: ${toReadableError(error).message}`,
          age: null,
          to,
        }
      : null,
  };
}

const issuesIn = <D>({ data }: SourceQuery<D>, rule: (data: D) => OpenIssue[]): OpenIssue[] =>
  data === undefined ? [] : rule(data);

/** The queries of the open issues; details of stages and endpoints follow. */
const issueQueries = (session: Session) => ({
  endpoints: { ...monitoredEndpointsQuery(session), enabled: session.canRead('webhooks') },
  activity: recentActivityQuery(session),
  latestFailed: latestFailedQuery(session),
  handoffs: { ...handoffQueueQuery(session), enabled: session.canRead('conversations') },
  recorder: { ...recorderQuery(session), enabled: session.canRead('meetings') },
  drift: { ...driftStatusQuery(session, ALL_SAMPLES), enabled: session.canRead('drift') },
  stages: { ...driftStagesQuery(session, ALL_SAMPLES), enabled: session.canRead('drift') },
});

export const firstIssueQueries = (session: Session) => Object.values(issueQueries(session));

/** Collects the issues that need attention, of the parts that the key may read. */
export function useOpenIssues(): IssueSource[] {
  const queries = issueQueries(useSession());
  const endpoints = useQuery({ ...queries.endpoints, refetchInterval: ENDPOINTS_REFRESH_MS });
  const results = useEndpointResults({ enabled: endpoints.data?.some(isWithoutSuccess) ?? false });
  const activity = useRecentActivity();
  const latestFailed = useQuery({ ...queries.latestFailed, refetchInterval: REFRESH_MS });
  const handoffs = useQuery({ ...queries.handoffs, refetchInterval: REFRESH_MS });
  const recorder = useQuery({ ...queries.recorder, refetchInterval: REFRESH_MS });
  return [
    issueSource({
      name: 'handoffs',
      subject: 'Handoffs',
      absence: 'urgent handoff',
      to: '/conversations',
      queries: [handoffs],
      issues: issuesIn(handoffs, handoffIssues),
    }),
    issueSource({
      name: 'endpoints',
      subject: 'Endpoints',
      absence: 'failing endpoint',
      to: '/webhooks',
      queries: [endpoints],
      issues: issuesIn(endpoints, (monitored) => endpointIssues(monitored, results.data)),
    }),
    issueSource({
      name: 'deliveries',
      subject: 'Activity',
      absence: 'failed delivery of the last 24 hours',
      to: '/deliveries',
      queries: [activity],
      issues: issuesIn(activity, (data) => deliveryIssues(failedIn(data))),
    }),
    issueSource({
      name: 'deliveries',
      subject: 'Deliveries',
      absence: 'failed delivery of the last 24 hours',
      to: '/deliveries',
      queries: [latestFailed],
      issues: issuesIn(latestFailed, deliveryIssues),
    }),
    useDriftSource(queries),
    issueSource({
      name: 'recorder',
      subject: 'Meeting recorder status',
      absence: 'failed meeting sync',
      to: '/meetings/settings',
      queries: [recorder],
      issues: issuesIn(recorder, recorderIssues),
    }),
  ].filter(({ isReadable }) => isReadable);
}

function useDriftSource(queries: Pick<ReturnType<typeof issueQueries>, 'drift' | 'stages'>): IssueSource {
  const overall = useQuery({ ...queries.drift, refetchInterval: REFRESH_MS });
  const stages = useQuery({ ...queries.stages, refetchInterval: REFRESH_MS });
  const names = stages.data?.map(({ stage }) => stage) ?? [];
  const statuses = useStageStatuses(names);
  return issueSource({
    name: 'drift',
    subject: 'Drift status',
    absence: 'drift',
    to: '/drift',
    // The samples of a stage can be removed after the stages were listed.
    queries: [overall, stages, ...statuses.filter(({ error }) => !hasErrorCode(error, 'NOT_FOUND'))],
    issues: driftIssues(
      overall.data,
      names.flatMap((stage, index) => {
        const status = statuses[index]?.data;
        return status ? [[stage, status] as const] : [];
      }),
    ),
  });
}

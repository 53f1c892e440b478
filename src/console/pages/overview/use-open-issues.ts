import { toReadableError } from '../../api/error-messages.ts';
import { formatCount } from '../../format.ts';
import { type DriftStatus, useDriftStatus } from '../drift/use-drift.ts';
import { isConnection, type Recorder, useRecorder } from '../meetings/use-recorder.ts';
import { disabledTitle } from '../webhooks/endpoints/disabled-reasons.ts';
import { type Endpoint, endpointName, useEndpoints } from '../webhooks/endpoints/use-endpoints.ts';
import { type RecentActivity, useRecentActivity } from './use-recent-activity.ts';

export interface OpenIssue {
  text: string;
  /** Page with the details. */
  to: string;
}

interface IssueSource<D> {
  query: { data: D | undefined; error: Error | null };
  /** Describes the source in “… unavailable”. */
  subject: string;
  to: string;
  issuesOf: (data: D) => OpenIssue[];
}

/** A source that fails to load is an issue itself, and does not hide the issues of the other sources. */
const issuesFrom = <D>({ query: { data, error }, subject, to, issuesOf }: IssueSource<D>): OpenIssue[] => [
  ...(error ? [{ text: `${subject} unavailable: ${toReadableError(error).message}`, to }] : []),
  ...(data === undefined ? [] : issuesOf(data)),
];

/** Collects the issues that need attention on the overview page. */
export function useOpenIssues(): { issues: OpenIssue[]; loading: boolean } {
  const endpoints = useEndpoints();
  const activity = useRecentActivity();
  const drift = useDriftStatus();
  const recorder = useRecorder();
  return {
    issues: [
      ...issuesFrom({ query: endpoints, subject: 'Endpoints', to: '/webhooks', issuesOf: endpointIssues }),
      ...issuesFrom({ query: activity, subject: 'Activity', to: '/deliveries', issuesOf: deliveryIssues }),
      ...issuesFrom({ query: drift, subject: 'Drift status', to: '/drift', issuesOf: driftIssues }),
      ...issuesFrom({
        query: recorder,
        subject: 'Meeting recorder status',
        to: '/meetings/settings',
        issuesOf: recorderIssues,
      }),
    ],
    loading: [endpoints, activity, drift, recorder].some(({ isPending }) => isPending),
  };
}

const endpointIssues = (endpoints: readonly Endpoint[]): OpenIssue[] =>
  endpoints
    .filter(({ enabled }) => !enabled)
    .map((endpoint) => ({
      text: `${disabledTitle(endpoint.disabledReason)}: ${endpointName(endpoint)}`,
      to: `/webhooks/${endpoint.id}`,
    }));

function deliveryIssues({ deliveries }: RecentActivity): OpenIssue[] {
  const failedCount = deliveries.find(({ status }) => status === 'failed')?.count ?? 0;
  if (failedCount === 0) return [];
  const text = `${formatCount(failedCount, 'delivery', 'deliveries')} failed in the last 24 hours`;
  return [{ text, to: '/deliveries?status=failed' }];
}

function driftIssues({ isDrifted, driftScore, threshold, featureDrifts }: DriftStatus): OpenIssue[] {
  const to = '/drift';
  if (isDrifted) {
    const score = `score ${driftScore.toFixed(2)}, threshold ${threshold}`;
    return [{ text: `The scoring model has drifted (${score})`, to }];
  }
  const drifted = featureDrifts.filter((feature) => feature.drifted).map(({ feature }) => feature);
  return drifted.length > 0
    ? [{ text: `No overall drift, but these features drifted: ${drifted.join(', ')}`, to }]
    : [];
}

function recorderIssues(recorder: Recorder): OpenIssue[] {
  const to = '/meetings/settings';
  if (!isConnection(recorder)) return [];
  if (recorder.status === 'key_invalid')
    return [{ text: 'Meetings are not synced: the provider rejected the API key', to }];
  if (recorder.status === 'failing') {
    const reason = recorder.lastRun?.error?.message;
    return [
      { text: reason ? `The last meeting sync failed: ${reason}` : 'The last meeting sync failed', to },
    ];
  }
  return [];
}

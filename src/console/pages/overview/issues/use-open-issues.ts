import { toReadableError } from '../../../api/error-messages.ts';
import { hasErrorCode } from '../../../api/graphql-client.ts';
import { useDriftStages, useDriftStatus, useStageStatuses } from '../../drift/drift-queries.ts';
import { useRecorder } from '../../meetings/use-recorder.ts';
import { useRecentActivity } from '../use-recent-activity.ts';
import {
  deliveryIssues,
  driftIssues,
  endpointIssues,
  handoffIssues,
  type OpenIssue,
  recorderIssues,
} from './issue-rules.ts';
import { useHandoffQueue } from './use-handoff-queue.ts';
import { useMonitoredEndpoints } from './use-monitored-endpoints.ts';

interface SourceQuery<D> {
  data: D | undefined;
  error: Error | null;
  isPending: boolean;
}

/** A part of the service that is checked for issues, independently of the other ones. */
export interface IssueSource {
  /** Prefix of the issues' IDs. */
  name: string;
  /** Describes the part in a sentence. */
  subject: string;
  loading: boolean;
  issues: OpenIssue[];
  /** Explanation if the part fails to load; null otherwise. */
  failure: OpenIssue | null;
}

interface SourceParts {
  name: string;
  subject: string;
  /** Page that shows the failure to load. */
  to: string;
  queries: readonly SourceQuery<unknown>[];
  issues: OpenIssue[];
}

function issueSource({ name, subject, to, queries, issues }: SourceParts): IssueSource {
  const error = queries.find((query) => query.error)?.error;
  return {
    name,
    subject,
    loading: queries.some(({ isPending }) => isPending),
    issues: issues.map((issue) => ({ ...issue, id: `${name}:${issue.id}` })),
    failure: error
      ? { id: `${name}:unavailable`, text: `${subject} unavailable: ${toReadableError(error).message}`, to }
      : null,
  };
}

const issuesIn = <D>({ data }: SourceQuery<D>, rule: (data: D) => OpenIssue[]): OpenIssue[] =>
  data === undefined ? [] : rule(data);

/** Collects the issues that need attention from parts that load, and fail to load, by themselves. */
export function useOpenIssues(): IssueSource[] {
  const endpoints = useMonitoredEndpoints();
  const activity = useRecentActivity();
  const handoffs = useHandoffQueue();
  const recorder = useRecorder();
  return [
    issueSource({
      name: 'handoffs',
      subject: 'Handoffs',
      to: '/conversations',
      queries: [handoffs],
      issues: issuesIn(handoffs, handoffIssues),
    }),
    issueSource({
      name: 'endpoints',
      subject: 'Endpoints',
      to: '/webhooks',
      queries: [endpoints],
      issues: issuesIn(endpoints, endpointIssues),
    }),
    issueSource({
      name: 'deliveries',
      subject: 'Activity',
      to: '/deliveries',
      queries: [activity],
      issues: issuesIn(activity, deliveryIssues),
    }),
    useDriftSource(),
    issueSource({
      name: 'recorder',
      subject: 'Meeting recorder status',
      to: '/meetings/settings',
      queries: [recorder],
      issues: issuesIn(recorder, recorderIssues),
    }),
  ];
}

function useDriftSource(): IssueSource {
  const overall = useDriftStatus();
  const stages = useDriftStages();
  const names = stages.data?.map(({ stage }) => stage) ?? [];
  const statuses = useStageStatuses(names);
  return issueSource({
    name: 'drift',
    subject: 'Drift status',
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

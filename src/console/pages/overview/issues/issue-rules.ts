import { DAY_MS, formatCount, formatNumber } from '../../../format.ts';
import { visitorName } from '../../conversations/visitor-name.ts';
import type { DriftStatus } from '../../drift/drift-verdict.ts';
import { isConnection, type Recorder } from '../../meetings/use-recorder.ts';
import { describeError } from '../../webhooks/delivery-errors.ts';
import { disabledTitle } from '../../webhooks/endpoints/disabled-reasons.ts';
import { endpointName } from '../../webhooks/endpoints/use-endpoints.ts';
import type { RecentActivity } from '../use-recent-activity.ts';
import type { HandoffQueue } from './use-handoff-queue.ts';
import type { MonitoredEndpoint } from './use-monitored-endpoints.ts';

export interface OpenIssue {
  /** Equal while the issue persists; another one if it occurs again. */
  id: string;
  text: string;
  /** Page with the details. */
  to: string;
}

const isWithinDay = (at: string, nowMs: number): boolean => nowMs - Date.parse(at) < DAY_MS;

/** Returns the error of the latest attempt; null if it succeeded, and without an attempt in the last 24 hours. */
function currentError({ deliveries }: MonitoredEndpoint, nowMs: number): string | null {
  // An aborted attempt does not indicate a problem with the receiver.
  const attempted = deliveries.edges.flatMap(({ node: { error, lastAttemptAt } }) =>
    lastAttemptAt !== null && error !== 'aborted' && isWithinDay(lastAttemptAt, nowMs)
      ? [{ error, lastAttemptAt }]
      : [],
  );
  attempted.sort((a, b) => Date.parse(b.lastAttemptAt) - Date.parse(a.lastAttemptAt));
  return attempted[0]?.error ?? null;
}

/**
 * Lists endpoints that the service disabled and endpoints whose latest attempt failed. An endpoint that was disabled
 * manually is listed for 24 hours only.
 */
export const endpointIssues = (endpoints: readonly MonitoredEndpoint[], nowMs = Date.now()): OpenIssue[] =>
  endpoints.flatMap((endpoint) => {
    const { id, enabled, disabledReason, updatedAt } = endpoint;
    const to = `/webhooks/${id}`;
    if (!enabled) {
      if (disabledReason === 'manual' && !isWithinDay(updatedAt, nowMs)) return [];
      const text = `${disabledTitle(disabledReason)}: ${endpointName(endpoint)}`;
      return [{ id: `disabled:${id}:${updatedAt}`, text, to }];
    }
    const error = currentError(endpoint, nowMs);
    if (error === null) return [];
    const text = `Endpoint failing now (${describeError(error).title}): ${endpointName(endpoint)}`;
    return [{ id: `failing:${id}:${error}`, text, to }];
  });

export function deliveryIssues({ deliveries, latestFailedId }: RecentActivity): OpenIssue[] {
  const failedCount = deliveries.find(({ status }) => status === 'failed')?.count ?? 0;
  if (failedCount === 0) return [];
  const text = `${formatCount(failedCount, 'delivery', 'deliveries')} failed in the last 24 hours`;
  return [{ id: `failed:${latestFailedId}`, text, to: '/deliveries?status=failed' }];
}

/** Lists conversations whose urgent hand-off waits for an operator. */
export function handoffIssues({ conversations, hasMore }: HandoffQueue): OpenIssue[] {
  const urgent = conversations.flatMap((conversation) =>
    conversation.handoffs
      .filter(({ urgency }) => urgency === 'urgent')
      .slice(-1)
      .map(({ id }) => ({
        id: `urgent:${id}`,
        text: `Urgent handoff: ${visitorName(conversation)}`,
        to: `/conversations/${conversation.id}`,
      })),
  );
  if (!hasMore) return urgent;
  const text = `More than ${formatNumber(conversations.length)} conversations are handed off; only the newest are checked for urgent handoffs`;
  return [...urgent, { id: 'backlog', text, to: '/conversations?status=handed_off' }];
}

/** @param stages status of each stage by its name */
export function driftIssues(
  overall: DriftStatus | undefined,
  stages: readonly (readonly [string, DriftStatus])[],
): OpenIssue[] {
  const score = ({ driftScore, threshold }: DriftStatus): string =>
    `score ${driftScore.toFixed(2)}, threshold ${threshold}`;
  const driftedStages = stages.filter(([, status]) => status.isDrifted);
  const stageIssues = driftedStages.map(([stage, status]) => ({
    id: `stage:${stage}`,
    text: `Stage ${stage} has drifted (${score(status)})`,
    to: `/drift?stage=${encodeURIComponent(stage)}`,
  }));
  if (!overall) return stageIssues;
  const to = '/drift';
  if (overall.isDrifted)
    return [{ id: 'all', text: `The scoring model has drifted (${score(overall)})`, to }, ...stageIssues];
  const features = overall.featureDrifts.filter(({ drifted }) => drifted).map(({ feature }) => feature);
  if (features.length === 0) return stageIssues;
  const text = `No overall drift, but these features drifted: ${features.join(', ')}`;
  return [{ id: `features:${features.join(',')}`, text, to }, ...stageIssues];
}

export function recorderIssues(recorder: Recorder): OpenIssue[] {
  const to = '/meetings/settings';
  if (!isConnection(recorder)) return [];
  if (recorder.status === 'key_invalid')
    return [{ id: 'key_invalid', text: 'Meetings are not synced: the provider rejected the API key', to }];
  if (recorder.status === 'failing') {
    const { code, message } = recorder.lastRun?.error ?? {};
    const text = message ? `The last meeting sync failed: ${message}` : 'The last meeting sync failed';
    return [{ id: `failing:${code}`, text, to }];
  }
  return [];
}

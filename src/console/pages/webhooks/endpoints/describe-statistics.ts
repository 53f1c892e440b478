import { MAX_SCHEDULED } from '../../../../shared/scheduled-retries.ts';
import { formatBoundedCount, formatCount, formatShare } from '../../../format.ts';
import type { EndpointBacklog, EndpointStatistics } from './use-endpoint-statistics.ts';
import type { Endpoint } from './use-endpoints.ts';

/** The rate is rounded down: a failure is never shown as 100%. */
export function describeSuccess({
  attempts,
  failedAttempts,
}: Pick<EndpointStatistics, 'attempts' | 'failedAttempts'>): string {
  if (attempts === 0) return 'no attempts';
  const rate = Math.floor(((attempts - failedAttempts) / attempts) * 1_000) / 1_000;
  return `${formatShare(rate)} of ${formatCount(attempts, 'attempt')} succeeded`;
}

/** Describes how many deliveries are due and what they wait for, and how many retries are due later. */
export function describeBacklog(
  endpoint: Endpoint,
  { backlog, scheduledRetries }: Pick<EndpointBacklog, 'backlog' | 'scheduledRetries'>,
): string {
  const due = describeDue(endpoint, backlog);
  if (scheduledRetries === 0) return due ?? 'none';
  return `${due ?? 'none due'}; ${formatBoundedCount(scheduledRetries, MAX_SCHEDULED)} scheduled for later`;
}

function describeDue({ enabled, paused, circuit, rateLimit }: Endpoint, backlog: number): string | null {
  if (backlog === 0) return null;
  const count = `${formatBoundedCount(backlog)} due`;
  if (!enabled) return count;
  if (paused) return `${count}, until you resume the endpoint`;
  if (circuit.state !== 'closed') return `${count}, until the receiver accepts one`;
  return rateLimit ? `${count}, at most ${rateLimit.count} attempts in ${rateLimit.perSeconds} s` : count;
}

import { useQuery } from '@tanstack/react-query';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session.tsx';
import { useDriftStatus } from '../drift/use-drift.ts';
import { isConnection, useRecorder } from '../meetings/use-recorder.ts';
import { useLastDay } from './use-recent-activity.ts';

const ENDPOINTS = graphql(`
  query EndpointsToWatch {
    webhookEndpoints(first: 50) {
      edges {
        node {
          id
          url
          enabled
          disabledReason
        }
      }
    }
  }
`);

/** Something to look at, and where. */
export interface Attention {
  text: string;
  to: string;
}

const REFRESH_MS = 30_000;

const REASONS: Record<string, string> = {
  manual: 'switched off by hand',
  gone: 'its receiver said that it is gone',
  failing: 'it failed for days',
};

/** Asks each part by itself: one that cannot answer is one more thing to look at, and hides no other. */
export function useAttention(): { items: Attention[]; loading: boolean } {
  const { call, customerId } = useSession();
  const endpoints = useQuery({
    queryKey: ['attention', 'endpoints', customerId],
    queryFn: () => call(ENDPOINTS),
    refetchInterval: REFRESH_MS,
  });
  const lastDay = useLastDay();
  const drift = useDriftStatus();
  const recorder = useRecorder();

  const items: Attention[] = [];
  for (const { node } of endpoints.data?.webhookEndpoints.edges ?? []) {
    if (node.enabled) continue;
    const reason = REASONS[node.disabledReason ?? ''] ?? 'disabled';
    items.push({ text: `Endpoint ${node.id} is off: ${reason} (${node.url})`, to: `/webhooks/${node.id}` });
  }
  const count = lastDay.data?.deliveries.find(({ status }) => status === 'failed')?.count ?? 0;
  if (count > 0) {
    const what = count === 1 ? '1 delivery has' : `${count} deliveries have`;
    items.push({ text: `${what} failed for good in the last day`, to: '/deliveries?status=failed' });
  }
  if (drift.error) items.push({ text: 'Drift cannot be told: the ML sidecar does not answer', to: '/drift' });
  const status = drift.data;
  if (status?.isDrifted) {
    const score = `${status.driftScore.toFixed(2)}, threshold ${status.threshold}`;
    items.push({ text: `The scoring model has drifted (${score})`, to: '/drift' });
  }
  const moved = status?.featureDrifts.filter(({ drifted }) => drifted).map(({ feature }) => feature) ?? [];
  if (!status?.isDrifted && moved.length > 0)
    items.push({
      text: `The scoring model fits, but part of it has drifted: ${moved.join(', ')}`,
      to: '/drift',
    });
  const connection = isConnection(recorder.data) ? recorder.data : null;
  if (connection?.status === 'key_invalid')
    items.push({
      text: 'No meetings come: the provider does not accept the key any more',
      to: '/meetings/settings',
    });
  if (connection?.status === 'failing') {
    const why = connection.lastRun?.error?.message ?? 'the connection does not work';
    items.push({ text: `The last sync of meetings failed: ${why}`, to: '/meetings/settings' });
  }
  return { items, loading: [endpoints, lastDay, drift, recorder].some(({ isPending }) => isPending) };
}

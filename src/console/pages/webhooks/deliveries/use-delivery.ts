import { useQuery, useQueryClient } from '@tanstack/react-query';
import { LEASE_MARGIN_MS } from '../../../../shared/delivery-attempts.ts';
import { MAX_TIMEOUT_SECONDS } from '../../../../shared/endpoint-limits.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useLiveSubscription } from '../../../api/use-live-subscription.ts';
import { graphql } from '../../../generated/gql.ts';
import type { DeliveryDetailQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { DELIVERY_CHANGES, type DeliverySubject } from './delivery-queries.ts';

const DELIVERY = graphql(`
  query DeliveryDetail($id: ID!) {
    webhookDelivery(id: $id) {
      ...DeliveryRow
      payload
      scheduledAttempts
      manualAttempts
      attempts {
        number
        at
        manual
        probe
        responseStatus
        responseBody
        requestHeaders {
          name
          value
        }
        responseHeaders {
          name
          value
        }
        error
        durationMs
      }
    }
  }
`);

const DELIVERY_SUBJECT = graphql(`
  query DeliverySubjectOf($id: ID!) {
    webhookDelivery(id: $id) {
      ...DeliverySubject
    }
  }
`);

export type DeliveryDetail = NonNullable<DeliveryDetailQuery['webhookDelivery']>;
export type Attempt = DeliveryDetail['attempts'][number];

/** TTL of a lease that is renewed for an attempt of the longest timeout. */
const MAX_RENEWED_LEASE_MS = MAX_TIMEOUT_SECONDS * 1_000 + LEASE_MARGIN_MS;

/** Returns true if a scheduled attempt has started, has no result yet, and may still hold its lease. */
export function isAttemptInProgress({ status, attempt, attempts, nextRetryAt }: DeliveryDetail): boolean {
  if (status === 'pending') return attempt > 0;
  const finishedCount = attempts.filter(
    ({ manual, probe, error }) => !manual && (!probe || error === null),
  ).length;
  const mayBeLeased = nextRetryAt !== null && Date.parse(nextRetryAt) - Date.now() <= MAX_RENEWED_LEASE_MS;
  return status === 'retrying' && finishedCount < attempt && mayBeLeased;
}

/** Loads what a delivery is about; null if that is not stored, or the key may not read it. */
export function useDeliverySubject(id: string): DeliverySubject {
  const { call, canRead, customerId } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.deliverySubject(customerId, id),
    queryFn: async () => (await call(DELIVERY_SUBJECT, { id })).webhookDelivery?.sourceEvent ?? null,
    enabled: canRead('events', 'conversations'),
  });
  return data ?? null;
}

/** Loads a delivery with payload and attempts, and refetches it on changes; null if it does not exist. */
export function useDelivery(id: string) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const queryKey = queryKeys.delivery(customerId, id);
  const query = useQuery({
    queryKey,
    queryFn: async () => (await call(DELIVERY, { id })).webhookDelivery,
  });
  const endpointId = query.data?.endpointId ?? null;
  const live = useLiveSubscription(
    DELIVERY_CHANGES,
    { endpointId },
    ({ webhookDeliveryUpdated }) => {
      if (webhookDeliveryUpdated.id === id) void queries.invalidateQueries({ queryKey });
    },
    { enabled: endpointId !== null, queryKey },
  );
  return { delivery: query.data, error: query.error, live };
}

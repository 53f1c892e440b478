import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLive } from '../../../api/use-live-subscription.ts';
import { graphql } from '../../../generated/gql.ts';
import type { DeliveryDetailQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';
import { DELIVERY_CHANGES } from '../delivery-queries.ts';

const DELIVERY = graphql(`
  query DeliveryDetail($id: ID!) {
    webhookDelivery(id: $id) {
      ...DeliveryRow
      eventId
      payload
      attempts {
        number
        at
        manual
        responseStatus
        responseBody
        error
        durationMs
      }
    }
  }
`);

export type DeliveryDetail = NonNullable<DeliveryDetailQuery['webhookDelivery']>;
export type Attempt = DeliveryDetail['attempts'][number];

/** Longest that an attempt holds its delivery. Milliseconds. */
const LEASE_MS = 30_000;

/** Whether an attempt is being made: one has begun and is not recorded, and its delivery is held for it. */
export function isUnderWay({ status, attempt, attempts, nextRetryAt }: DeliveryDetail): boolean {
  if (status === 'pending') return attempt > 0;
  const recorded = attempts.filter(({ manual }) => !manual).length;
  const held = nextRetryAt !== null && Date.parse(nextRetryAt) - Date.now() <= LEASE_MS;
  return status === 'retrying' && recorded < attempt && held;
}

/** One delivery with what was sent and each attempt, read anew when it changes; null when there is none. */
export function useDelivery(id: string) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const queryKey = ['delivery', customerId, id];
  const query = useQuery({
    queryKey,
    queryFn: async () => (await call(DELIVERY, { id })).webhookDelivery,
  });
  const endpointId = query.data?.endpointId ?? null;
  const live = useLive(
    DELIVERY_CHANGES,
    { endpointId },
    ({ webhookDeliveryUpdated }) => {
      if (webhookDeliveryUpdated.id === id) void queries.invalidateQueries({ queryKey });
    },
    { enabled: endpointId !== null, reads: queryKey },
  );
  return { delivery: query.data, error: query.error, live };
}

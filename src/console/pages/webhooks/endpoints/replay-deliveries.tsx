import { graphql } from '../../../generated/gql.ts';
import type { WebhookDeliveryStatus } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { RangeAction } from './range-action.tsx';

const REPLAY = graphql(`
  mutation ReplayDeliveries(
    $endpointId: Int!
    $since: DateTime!
    $until: DateTime
    $status: WebhookDeliveryStatus
    $dryRun: Boolean!
  ) {
    replayWebhookDeliveries(
      endpointId: $endpointId
      since: $since
      until: $until
      status: $status
      dryRun: $dryRun
    ) {
      count
    }
  }
`);

const STATUSES = ['succeeded', 'failed', 'cancelled'] as const satisfies WebhookDeliveryStatus[];

interface ReplayDeliveriesProps {
  endpointId: number;
  /** The service rejects a replay while the endpoint is disabled. */
  enabled: boolean;
}

/** Counts the deliveries of a time range, and sends them again. */
export function ReplayDeliveries({ endpointId, enabled }: ReplayDeliveriesProps) {
  const { call } = useSession();
  return (
    <RangeAction
      title="Replay deliveries"
      action="Replay"
      disabled={!enabled}
      explanation="Deliveries of this time range start again with attempt 1, oldest first. The receiver gets those that it has accepted before once more."
      maxDays={30}
      choice={{ label: 'Status', data: STATUSES }}
      done="queued for replay."
      execute={async ({ choice, ...range }, dryRun) => {
        const status = choice as WebhookDeliveryStatus | null;
        return (await call(REPLAY, { endpointId, ...range, status, dryRun })).replayWebhookDeliveries;
      }}
    />
  );
}

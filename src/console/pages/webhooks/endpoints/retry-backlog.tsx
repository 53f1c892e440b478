import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { useEventNames } from '../use-event-types.ts';
import { RangeAction } from './range-action.tsx';

const RETRY = graphql(`
  mutation RetryBacklog(
    $endpointId: Int!
    $since: DateTime!
    $until: DateTime
    $event: String
    $dryRun: Boolean!
  ) {
    retryWebhookBacklog(
      endpointId: $endpointId
      since: $since
      until: $until
      event: $event
      dryRun: $dryRun
    ) {
      count
    }
  }
`);

interface RetryBacklogProps {
  endpointId: number;
  /** The service rejects a retry while the endpoint is disabled. */
  enabled: boolean;
}

/** Counts the scheduled retries of deliveries of a time range, and makes them due. */
export function RetryBacklog({ endpointId, enabled }: RetryBacklogProps) {
  const { call } = useSession();
  const eventNames = useEventNames();
  return (
    <RangeAction
      title="Retry now"
      action="Retry"
      disabled={!enabled}
      explanation="Deliveries of this time range that wait for a scheduled retry are attempted now, oldest first, instead of at the scheduled time."
      choice={{ label: 'Event', data: eventNames }}
      done="due now."
      execute={async ({ choice, ...range }, dryRun) =>
        (await call(RETRY, { endpointId, ...range, event: choice, dryRun })).retryWebhookBacklog
      }
    />
  );
}

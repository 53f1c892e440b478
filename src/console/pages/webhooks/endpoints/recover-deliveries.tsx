import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import { formatCount } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { RangeAction } from './range-action.tsx';

const RECOVER = graphql(`
  mutation RecoverDeliveries($endpointId: Int!, $since: DateTime!, $until: DateTime, $dryRun: Boolean!) {
    recoverWebhookDeliveries(endpointId: $endpointId, since: $since, until: $until, dryRun: $dryRun) {
      queued
      open
    }
  }
`);

/** Describes the deliveries that a recovery leaves out, since they have not failed for good. */
const describeOpen = (open: number): string | undefined =>
  open === 0
    ? undefined
    : `${formatCount(open, 'further delivery', 'further deliveries')} of this time range will be attempted anyway; “Retry now” makes scheduled retries due.`;

interface RecoverDeliveriesProps {
  endpointId: number;
  /** The service rejects a recovery while the endpoint is disabled. */
  enabled: boolean;
}

/** Counts the failed and cancelled deliveries of a time range, and requeues them. */
export function RecoverDeliveries({ endpointId, enabled }: RecoverDeliveriesProps) {
  const { call } = useSession();
  return (
    <RangeAction
      title="Recover deliveries"
      action="Recover"
      disabled={!enabled}
      explanation={`Deliveries of this time range that failed or were cancelled start again with attempt 1 of ${MAX_ATTEMPTS}, oldest first. Succeeded deliveries are not repeated.`}
      maxDays={30}
      done="queued for recovery."
      execute={async ({ since, until }, dryRun) => {
        const { recoverWebhookDeliveries } = await call(RECOVER, { endpointId, since, until, dryRun });
        const { queued, open } = recoverWebhookDeliveries;
        return { count: queued, note: describeOpen(open) };
      }}
    />
  );
}

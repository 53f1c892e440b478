import { Button, Text } from '@mantine/core';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session/session.tsx';

const SUSPEND = graphql(`
  mutation SuspendTenant($customerId: Int!) {
    suspendTenant(customerId: $customerId) {
      customerId
    }
  }
`);

const RESUME = graphql(`
  mutation ResumeTenant($customerId: Int!) {
    resumeTenant(customerId: $customerId) {
      customerId
    }
  }
`);

interface SuspensionProps {
  customer: { customerId: number; name: string; suspendedAt: string | null };
}

/** Suspends a customer or lifts its suspension, after confirmation. */
export function Suspension({ customer }: SuspensionProps) {
  const call = useSession().callFor(null);
  const { customerId } = customer;
  const isSuspended = customer.suspendedAt !== null;
  const change = useServiceMutation(
    async () => (isSuspended ? call(RESUME, { customerId }) : call(SUSPEND, { customerId })),
    {
      invalidates: [queryKeys.customers],
    },
  );
  const action = isSuspended ? 'Lift suspension' : 'Suspend';
  return (
    <ConfirmDialog
      title={isSuspended ? 'Lift the suspension?' : 'Suspend this customer?'}
      action={action}
      mutation={change}
      trigger={(open) => (
        <Button size="compact-sm" variant="default" aria-label={`${action}: ${customer.name}`} onClick={open}>
          {action}
        </Button>
      )}
    >
      <Text size="sm">
        {isSuspended
          ? 'Its keys are accepted again, and its deliveries continue.'
          : 'The service refuses all requests with its keys, and holds its deliveries until the suspension is lifted.'}
      </Text>
    </ConfirmDialog>
  );
}

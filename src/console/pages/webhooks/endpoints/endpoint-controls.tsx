import { Button, Card, Divider, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { BreakableText } from '../../../components/breakable-text.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { formatCount } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { RecoverDeliveries } from './recover-deliveries.tsx';
import { ReplayDeliveries } from './replay-deliveries.tsx';
import { RetryBacklog } from './retry-backlog.tsx';
import { SigningSecretDialog } from './signing-secret-dialog.tsx';
import { type Endpoint, endpointName, UPDATE_ENDPOINT } from './use-endpoints.ts';

const ControlRow = ({ text, children }: { text: string; children: ReactNode }) => (
  <Group justify="space-between" gap="sm">
    <Text size="sm" c="dimmed" flex="1 1 200px">
      {text}
    </Text>
    {children}
  </Group>
);

/** Management actions of an endpoint; requires write scope. */
export function EndpointControls({ endpoint }: { endpoint: Endpoint }) {
  const { id, enabled, paused } = endpoint;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Manage
      </Title>
      <Stack gap="sm">
        <ControlRow
          text={
            enabled
              ? 'Events are delivered as they occur.'
              : 'No events are delivered while the endpoint is disabled.'
          }
        >
          <ToggleEndpoint id={id} enabled={enabled} />
        </ControlRow>
        <Divider />
        <ControlRow
          text={
            paused
              ? 'Deliveries wait. They are sent, oldest first, once you resume the endpoint.'
              : 'Holds deliveries back without cancelling them.'
          }
        >
          <TogglePause id={id} paused={paused} />
        </ControlRow>
        <Divider />
        <ControlRow text="Attempts deliveries now that wait for a scheduled retry, for a receiver that answers again.">
          <RetryBacklog endpointId={id} enabled={enabled} />
        </ControlRow>
        <Divider />
        <ControlRow text="Cancels all deliveries that wait for an attempt, retries included.">
          <CancelBacklog id={id} />
        </ControlRow>
        <Divider />
        <ControlRow
          text={
            enabled
              ? 'Starts failed and cancelled deliveries again, each with all of its attempts. To attempt a single delivery, resend it on its page.'
              : 'Enable the endpoint to recover missed deliveries.'
          }
        >
          <RecoverDeliveries endpointId={id} enabled={enabled} />
        </ControlRow>
        <Divider />
        <ControlRow text="Sends all deliveries of a time range again, succeeded ones too.">
          <ReplayDeliveries endpointId={id} enabled={enabled} />
        </ControlRow>
        <Divider />
        <ControlRow text="Replaces the secret that signs deliveries.">
          <RotateSecret endpoint={endpoint} />
        </ControlRow>
        <Divider />
        <ControlRow text="This cannot be undone.">
          <DeleteEndpoint endpoint={endpoint} />
        </ControlRow>
      </Stack>
    </Card>
  );
}

interface ToggleEndpointProps {
  id: number;
  enabled: boolean;
}

/** Enables an endpoint, or disables it after confirmation. */
function ToggleEndpoint({ id, enabled }: ToggleEndpointProps) {
  const { call, customerId } = useSession();
  const toggle = useServiceMutation(() => call(UPDATE_ENDPOINT, { id, input: { enabled: !enabled } }), {
    invalidates: [queryKeys.endpoints(customerId)],
  });
  if (!enabled) {
    return (
      <Stack gap="xs">
        <Button onClick={() => toggle.mutate()} loading={toggle.isPending}>
          Enable
        </Button>
        <ErrorAlert error={toggle.error} />
      </Stack>
    );
  }
  return (
    <ConfirmDialog
      title="Disable this endpoint?"
      action="Disable"
      mutation={toggle}
      trigger={(open) => (
        <Button variant="default" onClick={open}>
          Disable
        </Button>
      )}
    >
      <Text size="sm">
        Its pending deliveries are cancelled, and no further events are delivered. Events that occur while it
        is disabled are recorded as cancelled deliveries, which you can recover after enabling it.
      </Text>
    </ConfirmDialog>
  );
}

/** Pauses an endpoint, or resumes it. */
function TogglePause({ id, paused }: { id: number; paused: boolean }) {
  const { call, customerId } = useSession();
  const toggle = useServiceMutation(() => call(UPDATE_ENDPOINT, { id, input: { paused: !paused } }), {
    invalidates: [queryKeys.endpoints(customerId)],
  });
  return (
    <Stack gap="xs">
      <Button variant="default" onClick={() => toggle.mutate()} loading={toggle.isPending}>
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <ErrorAlert error={toggle.error} />
    </Stack>
  );
}

const CANCEL_BACKLOG = graphql(`
  mutation CancelBacklog($id: Int!) {
    cancelWebhookBacklog(endpointId: $id) {
      cancelled
    }
  }
`);

/** Cancels the open deliveries of an endpoint after confirmation. */
function CancelBacklog({ id }: { id: number }) {
  const { call } = useSession();
  const cancel = useServiceMutation(() => call(CANCEL_BACKLOG, { id }), {
    notify: ({ cancelWebhookBacklog: { cancelled } }) => ({
      color: 'teal',
      title: 'Backlog cancelled',
      message: `${formatCount(cancelled, 'delivery', 'deliveries')} cancelled.`,
    }),
  });
  return (
    <ConfirmDialog
      title="Cancel the backlog?"
      action="Cancel deliveries"
      mutation={cancel}
      trigger={(open) => (
        <Button variant="default" onClick={open}>
          Cancel backlog
        </Button>
      )}
    >
      <Text size="sm">
        All deliveries to this endpoint that wait for an attempt or a retry are cancelled. You can recover
        them later.
      </Text>
    </ConfirmDialog>
  );
}

const ROTATE = graphql(`
  mutation RotateSecret($id: Int!, $overlapSeconds: Int!) {
    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {
      secret
      publicKey
    }
  }
`);

/** Seconds for which the previous secret signs as well. */
const OVERLAPS = [
  { value: '0', label: 'None: the old secret stops signing immediately' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '604800', label: '7 days' },
];

/** Replaces the signing secret after confirmation and shows the new one. */
function RotateSecret({ endpoint: { id, signing } }: { endpoint: Endpoint }) {
  const { call, customerId } = useSession();
  const [overlap, setOverlap] = useState('86400');
  const rotate = useServiceMutation(() => call(ROTATE, { id, overlapSeconds: Number(overlap) }), {
    invalidates: [queryKeys.endpoints(customerId)],
  });
  const replaced = signing === 'ed25519' ? 'secret and the key pair' : 'secret';
  return (
    <>
      <ConfirmDialog
        title="Rotate the signing secret?"
        action="Rotate"
        mutation={rotate}
        trigger={(open) => (
          <Button variant="default" onClick={open}>
            Rotate secret
          </Button>
        )}
      >
        <Stack>
          <NativeSelect
            label="Overlap"
            description={`Time for which the old ${replaced} and the new one both sign deliveries.`}
            data={OVERLAPS}
            value={overlap}
            onChange={(event) => setOverlap(event.currentTarget.value)}
          />
          <Text size="sm">
            {overlap === '0'
              ? 'The old secret stops signing deliveries immediately. Your receiver rejects deliveries until you configure the new secret there; rejected deliveries are retried on the normal schedule.'
              : 'Configure the new secret in your receiver before the overlap ends. If the old secret is known to someone else, choose no overlap.'}
          </Text>
        </Stack>
      </ConfirmDialog>
      <SigningSecretDialog
        secret={rotate.data?.rotateWebhookSecret.secret ?? null}
        publicKey={rotate.data?.rotateWebhookSecret.publicKey}
        title="Secret rotated"
        close={rotate.reset}
      />
    </>
  );
}

const DELETE = graphql(`
  mutation DeleteEndpoint($id: Int!) {
    deleteWebhookEndpoint(id: $id) {
      id
    }
  }
`);

/** Deletes an endpoint after confirmation and returns to the list. */
function DeleteEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const { call, customerId } = useSession();
  const [, navigate] = useLocation();
  const remove = useServiceMutation(() => call(DELETE, { id: endpoint.id }), {
    invalidates: [queryKeys.endpoints(customerId)],
    onSuccess: () => navigate('/webhooks'),
  });
  return (
    <ConfirmDialog
      title="Delete this endpoint?"
      action="Delete"
      mutation={remove}
      trigger={(open) => (
        <Button variant="light" color="red" onClick={open}>
          Delete endpoint
        </Button>
      )}
    >
      <Text size="sm" className="breakable">
        <b>
          <BreakableText>{endpointName(endpoint)}</BreakableText>
        </b>{' '}
        and its secret are deleted, and its pending deliveries are cancelled. Past deliveries stay visible
        until their retention period ends. This cannot be undone.
      </Text>
    </ConfirmDialog>
  );
}

import { Alert, Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { Link } from 'wouter';
import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { BreakableText } from '../../../components/breakable-text.tsx';
import { CopyValue } from '../../../components/copy-value.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { type Endpoint, endpointName, useEndpoint } from '../endpoints/use-endpoints.ts';
import { describeError } from './delivery-errors.ts';
import { hasNextAttempt, scheduledAttempts } from './delivery-queries.ts';
import { describeStatus, WAIT_DESCRIPTIONS } from './delivery-status.ts';
import { goalOf, hasVisitor, SubjectVisitor } from './delivery-subject.tsx';
import { type DeliveryDetail, isAttemptInProgress, useDeliverySubject } from './use-delivery.ts';

function EndpointLink({ id }: { id: number }) {
  const { data: endpoint } = useEndpoint(id);
  if (endpoint === null) return `${id} (deleted)`;
  return (
    <Anchor component={Link} href={`/webhooks/${id}`} inherit lineClamp={3}>
      {endpoint ? <BreakableText>{endpointName(endpoint)}</BreakableText> : id}
    </Anchor>
  );
}

/** Status of a delivery, advice on its last error, and the resend action. */
export function DeliverySummary({ delivery }: { delivery: DeliveryDetail }) {
  const { canWrite } = useSession();
  const { id, endpointId, eventId, status, error, nextRetryAt, waitingFor, createdAt, manualAttempts } =
    delivery;
  // A delivery that waits is due at that time, but is not sent then.
  const scheduledAt = waitingFor ? null : nextRetryAt;
  const subject = useDeliverySubject(id);
  const lastError =
    error === null || status === 'succeeded'
      ? null
      : describeError(error, { hasNextAttempt: hasNextAttempt(delivery) });
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Status
      </Title>
      <Stack>
        <Text size="sm">{describeStatus(delivery)}</Text>
        {lastError && (
          <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title={lastError.title}>
            {lastError.advice}
          </Alert>
        )}
        <DescriptionList
          items={[
            ['Endpoint', <EndpointLink key="endpoint" id={endpointId} />],
            ['Goal', goalOf(subject)],
            ['Visitor', hasVisitor(subject) ? <SubjectVisitor key="visitor" subject={subject} /> : null],
            [
              'Conversation',
              subject?.conversation && (
                <Anchor
                  key="conversation"
                  component={Link}
                  href={`/deliveries?conversation=${subject.conversation.id}`}
                  inherit
                >
                  All deliveries of the conversation
                </Anchor>
              ),
            ],
            ['Scheduled attempts started', scheduledAttempts(delivery) ?? 'none'],
            ['Manual attempts', manualAttempts || null],
            ['Next attempt', scheduledAt && <RelativeTime at={scheduledAt} />],
            ['Waiting for', waitingFor && WAIT_DESCRIPTIONS[waitingFor]],
            ['Created', <RelativeTime key="created" at={createdAt} />],
            ['Delivery ID', <CopyValue key="delivery" value={id} label="delivery ID" />],
            ['Event ID', <CopyValue key="event" value={eventId} label="event ID" />],
          ]}
        />
        {canWrite && <ResendDelivery delivery={delivery} />}
      </Stack>
    </Card>
  );
}

const RESEND = graphql(`
  mutation ResendDelivery($id: ID!) {
    resendWebhookDelivery(id: $id) {
      id
    }
  }
`);

const EFFECT = `Makes one more attempt now, in addition to the ${MAX_ATTEMPTS} scheduled ones. If it fails, the status and the schedule stay as they are.`;

/** Returns the reason why a delivery cannot be resent; null if it can. */
function resendBlocker(delivery: DeliveryDetail, endpoint: Endpoint | null | undefined): string | null {
  if (endpoint === null) return 'The endpoint is deleted.';
  if (endpoint?.enabled === false) return 'Enable the endpoint to resend this delivery.';
  if (isAttemptInProgress(delivery)) return 'An attempt is in progress.';
  return null;
}

/** Requests one more attempt, or shows why that is not possible. */
function ResendDelivery({ delivery }: { delivery: DeliveryDetail }) {
  const { call } = useSession();
  const { data: endpoint } = useEndpoint(delivery.endpointId);
  // The subscription of the page reports the attempt.
  const resend = useServiceMutation(() => call(RESEND, { id: delivery.id }), {
    notify: () => ({
      color: 'teal',
      title: 'Resend requested',
      message: 'The result appears under Attempts.',
    }),
  });
  const blocker = resendBlocker(delivery, endpoint);
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button
          leftSection={<IconRefresh size={16} aria-hidden />}
          disabled={blocker !== null || endpoint === undefined}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
          aria-describedby="resend-effect"
        >
          Resend
        </Button>
        <Text size="sm" c="dimmed" id="resend-effect" flex="1 1 240px">
          {blocker ?? EFFECT}
        </Text>
      </Group>
      <ErrorAlert error={resend.error} />
    </Stack>
  );
}

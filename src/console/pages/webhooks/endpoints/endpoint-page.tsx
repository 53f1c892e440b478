import {
  Alert,
  Anchor,
  Badge,
  Button,
  Card,
  Code,
  Group,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconCertificate,
  IconCircleCheck,
  IconPencil,
  IconPlugConnectedX,
  IconWebhookOff,
} from '@tabler/icons-react';
import { Link } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { CopyValue } from '../../../components/copy-value.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { DetailPlaceholder } from '../../../components/detail-placeholder.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { DateTime, RelativeTime } from '../../../components/time.tsx';
import { formatCount } from '../../../format.ts';
import { useSession } from '../../../session/session.tsx';
import { describeError } from '../deliveries/delivery-errors.ts';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import { ExplainEvent } from '../deliveries/explain-event.tsx';
import { CatchUpAlert } from './catch-up-alert.tsx';
import { EndpointControls } from './endpoint-controls.tsx';
import { EndpointForm, type EndpointInput } from './endpoint-form.tsx';
import { SendTestEvent } from './send-test-event.tsx';
import { StatisticsCard } from './statistics-card.tsx';
import {
  CREATED_STATE,
  DISABLED_REASONS,
  disabledTitle,
  type Endpoint,
  endpointName,
  endpointState,
  NOT_ACCEPTING,
  nearCertificateExpiry,
  SIGNING_LABELS,
  UPDATE_ENDPOINT,
  useEndpoint,
} from './use-endpoints.ts';

const BACK = { to: '/webhooks', label: 'Webhook endpoints' };

/** All states share one layout, so that the heading keeps the focus when the endpoint is loaded. */
export default function EndpointPage({ id }: { id: number }) {
  const { canWrite } = useSession();
  const { data: endpoint, error } = useEndpoint(id);
  return (
    <PageLayout
      title={endpoint ? endpointName(endpoint) : 'Webhook endpoint'}
      back={BACK}
      subtitle={endpoint && <StatusBadge status={endpointState(endpoint)} />}
      actions={
        endpoint && (
          <>
            {canWrite && <EditEndpoint endpoint={endpoint} />}
            {canWrite && <SendTestEvent endpoint={endpoint} />}
            <ExplainEvent endpointId={endpoint.id} />
          </>
        )
      }
    >
      {endpoint ? (
        <EndpointContent endpoint={endpoint} />
      ) : (
        <DetailPlaceholder
          object={endpoint}
          error={error}
          type="Endpoint"
          heightPx={320}
          icon={IconWebhookOff}
        >
          It may have been deleted, or belong to another customer.
        </DetailPlaceholder>
      )}
    </PageLayout>
  );
}

function EndpointContent({ endpoint }: { endpoint: Endpoint }) {
  const { canWrite } = useSession();
  const { disabledReason } = endpoint;
  return (
    <>
      {canWrite && <CreatedNotice endpoint={endpoint} />}
      {disabledReason && (
        <Alert color="orange" icon={<IconPlugConnectedX aria-hidden />} title={disabledTitle(disabledReason)}>
          {DISABLED_REASONS[disabledReason].advice} Events that occur while it is disabled are recorded as
          cancelled deliveries, which you can recover after enabling it.
        </Alert>
      )}
      <CircuitAlert endpoint={endpoint} />
      <CertificateAlert endpoint={endpoint} />
      {canWrite && <CatchUpAlert endpoint={endpoint} />}
      <StatisticsCard endpoint={endpoint} />
      <SimpleGrid cols={{ base: 1, lg: canWrite ? 2 : 1 }} spacing="lg">
        <EndpointSettings endpoint={endpoint} />
        {canWrite && <EndpointControls endpoint={endpoint} />}
      </SimpleGrid>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Deliveries
        </Title>
        <DeliveryList
          endpointId={endpoint.id}
          whenEmpty={
            canWrite ? 'Send a test event to create one.' : 'Deliveries appear here as events occur.'
          }
        />
      </Stack>
    </>
  );
}

/** The next step after the creation of an endpoint; absent on later visits. */
function CreatedNotice({ endpoint }: { endpoint: Endpoint }) {
  if (useHistoryState() !== CREATED_STATE) return null;
  return (
    <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title="Endpoint created">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 260px">
          Next step: start your receiver and send it a test event. The delivery below shows its response.
        </Text>
        <SendTestEvent endpoint={endpoint} />
      </Group>
    </Alert>
  );
}

function EditEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const [opened, { open, close }] = useDisclosure(false);
  const { call, customerId } = useSession();
  const update = useServiceMutation(
    (input: EndpointInput) => call(UPDATE_ENDPOINT, { id: endpoint.id, input }),
    { invalidates: [queryKeys.endpoints(customerId)] },
  );
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPencil size={16} aria-hidden />}
        onClick={() => {
          update.reset();
          open();
        }}
      >
        Edit
      </Button>
      <Dialog opened={opened} onClose={close} title="Edit endpoint" size="lg">
        <EndpointForm
          initial={endpoint}
          action="Save"
          save={(input) => update.mutate(input, { onSuccess: close })}
          saving={update.isPending}
          error={update.error}
          cancel={close}
        />
      </Dialog>
    </>
  );
}

function SubscribedEvents({ names }: { names: string[] | null }) {
  if (names === null) return 'All, including future event types';
  return (
    <Group gap={6}>
      {names.map((name) => (
        <Badge key={name} variant="default" tt="none" className="mono">
          {name}
        </Badge>
      ))}
    </Group>
  );
}

function AuthenticationSummary({ authentication }: Pick<Endpoint, 'authentication'>) {
  if (!authentication) return 'By signatures alone';
  const { oauth2, mtls } = authentication;
  if (oauth2) return `OAuth 2.0, client ${oauth2.clientId} at ${oauth2.tokenUrl}`;
  if (!mtls) return null;
  return (
    <>
      Client certificate {mtls.certificateSubject}, valid until{' '}
      <DateTime at={mtls.certificateExpiresAt} format="formatDate" />
    </>
  );
}

/** Says since when the receiver accepts nothing, and what happens to its deliveries. */
function CircuitAlert({ endpoint: { id, enabled, paused, circuit } }: { endpoint: Endpoint }) {
  if (!enabled || paused || circuit.since === null || circuit.reason === null) return null;
  return (
    <Alert color="orange" icon={<IconPlugConnectedX aria-hidden />} title={NOT_ACCEPTING.title}>
      {describeError(circuit.reason).title}. Every attempt has failed since{' '}
      <RelativeTime at={circuit.since} />. Deliveries wait, and use none of their attempts while they do.{' '}
      {NOT_ACCEPTING.effect}, at least every minute; the others follow when it succeeds.{' '}
      <Anchor component={Link} href={`/deliveries?endpoint=${id}&status=retrying`} inherit>
        Deliveries with a failed attempt
      </Anchor>
    </Alert>
  );
}

/** Warns before the client certificate of an endpoint expires, and after it has. */
function CertificateAlert({ endpoint }: { endpoint: Endpoint }) {
  const expiresAt = nearCertificateExpiry(endpoint);
  if (expiresAt === null) return null;
  const isExpired = Date.parse(expiresAt) <= Date.now();
  return (
    <Alert
      color="orange"
      icon={<IconCertificate aria-hidden />}
      title={isExpired ? 'The client certificate has expired' : 'The client certificate expires soon'}
    >
      It is valid until <DateTime at={expiresAt} format="formatDate" />. Receivers refuse an expired
      certificate: set a new one in the authentication of the endpoint.
    </Alert>
  );
}

function EndpointSettings({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, description, events, filter, payload, headers } = endpoint;
  const { signing, publicKey, previousSecretExpiresAt } = endpoint;
  const { timeoutSeconds, rateLimit, autoRecover, ordering, createdAt, updatedAt } = endpoint;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Settings
      </Title>
      <DescriptionList
        items={[
          ['URL', <CopyValue key="url" value={url} label="URL" />],
          ['Description', description],
          ['Events', <SubscribedEvents key="events" names={events} />],
          ['Filter', filter && <Code key="filter">{JSON.stringify(filter)}</Code>],
          ['Body', payload === 'thin' ? 'IDs and a URL only' : 'The whole event'],
          ['Headers', Object.keys(headers).join(', ')],
          ['Authentication', <AuthenticationSummary key="authentication" {...endpoint} />],
          ['Signature', SIGNING_LABELS[signing]],
          ['Public key', publicKey && <CopyValue key="publicKey" value={publicKey} label="public key" />],
          [
            'Previous secret signs until',
            previousSecretExpiresAt && Date.parse(previousSecretExpiresAt) > Date.now() ? (
              <DateTime key="previous" at={previousSecretExpiresAt} />
            ) : null,
          ],
          ['Timeout', `${timeoutSeconds} s`],
          [
            'After an outage',
            autoRecover
              ? 'failed deliveries are sent again automatically'
              : 'failed deliveries can be recovered',
          ],
          ['Order', ordering === 'conversation' ? 'by conversation' : null],
          [
            'Rate limit',
            rateLimit && `${formatCount(rateLimit.count, 'attempt')} in ${rateLimit.perSeconds} s`,
          ],
          ['ID', id],
          ['Created', <RelativeTime key="created" at={createdAt} />],
          ['Updated', <RelativeTime key="updated" at={updatedAt} />],
        ]}
      />
    </Card>
  );
}

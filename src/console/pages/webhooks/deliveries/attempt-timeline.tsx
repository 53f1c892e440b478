import { Badge, Box, Button, Code, CopyButton, Group, Stack, Text, Timeline } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconClock, IconX } from '@tabler/icons-react';
import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import { RelativeTime } from '../../../components/time.tsx';
import { formatDuration } from '../../../format.ts';
import { useEndpoint } from '../endpoints/use-endpoints.ts';
import { curlCommand } from './curl-command.ts';
import { describeError } from './delivery-errors.ts';
import { hasNextAttempt } from './delivery-queries.ts';
import { WAIT_DESCRIPTIONS } from './delivery-status.ts';
import { type Attempt, type DeliveryDetail, isAttemptInProgress } from './use-delivery.ts';

const ICON = { size: 14, 'aria-hidden': true } as const;

const LabeledCode = ({ label, children }: { label: string; children: string }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Code block className="wrapped">
      {children}
    </Code>
  </div>
);

interface AttemptDetailsProps {
  attempt: Attempt;
  delivery: DeliveryDetail;
  /** The advice is not repeated if the previous attempt failed with the same error. */
  previous: Attempt | undefined;
  /** True if another attempt is scheduled or in progress. */
  isPending: boolean;
}

function AttemptDetails({ attempt, delivery, previous, isPending }: AttemptDetailsProps) {
  const { error, responseStatus, responseBody } = attempt;
  // A response can fail after its status was received.
  const status =
    responseStatus !== null && error !== `http_${responseStatus}` ? ` · HTTP ${responseStatus}` : '';
  return (
    <>
      {error !== null && (
        <>
          {error !== previous?.error && (
            <Text size="sm" mt={4}>
              {describeError(error, { hasNextAttempt: isPending }).advice}
            </Text>
          )}
          <Text size="xs" c="dimmed" mt={4} className="mono">
            {error}
            {status}
          </Text>
        </>
      )}
      {responseBody !== null && (
        <Box mt="xs">
          <LabeledCode label="Response body, up to 1 KiB">{responseBody || 'none'}</LabeledCode>
        </Box>
      )}
      <AttemptHeaders attempt={attempt} delivery={delivery} />
    </>
  );
}

type Header = NonNullable<Attempt['requestHeaders']>[number];

const HeaderList = ({ label, headers }: { label: string; headers: readonly Header[] }) => (
  <LabeledCode label={label}>
    {headers.map(({ name, value }) => `${name}: ${value}`).join('\n') || 'none'}
  </LabeledCode>
);

/** Headers of request and response, shown on request, and the request as a command. */
function AttemptHeaders({ attempt, delivery }: Pick<AttemptDetailsProps, 'attempt' | 'delivery'>) {
  const { number, requestHeaders, responseHeaders } = attempt;
  const { data: endpoint } = useEndpoint(delivery.endpointId);
  const [opened, { toggle }] = useDisclosure(false);
  if (!requestHeaders) return null;
  return (
    <Stack gap="xs" mt="xs">
      <Group gap="xs">
        <Button
          variant="subtle"
          size="compact-xs"
          aria-expanded={opened}
          aria-label={`Headers of attempt ${number}`}
          onClick={toggle}
        >
          Headers
        </Button>
        {opened && endpoint?.payload === 'full' && (
          <CopyButton
            value={curlCommand({ url: endpoint.url, headers: requestHeaders, body: delivery.payload })}
          >
            {({ copied, copy }) => (
              <Button variant="subtle" size="compact-xs" onClick={copy}>
                {copied ? 'Copied' : 'Copy as curl'}
              </Button>
            )}
          </CopyButton>
        )}
      </Group>
      {opened && (
        <>
          <HeaderList label="Request headers" headers={requestHeaders} />
          {responseHeaders && <HeaderList label="Response headers" headers={responseHeaders} />}
          <Text size="xs" c="dimmed">
            Secrets are shown as ***. Replace them in the command before you run it.
          </Text>
        </>
      )}
    </Stack>
  );
}

function AttemptHeading({
  attempt: { number, manual, probe, error, at, durationMs, responseStatus },
}: {
  attempt: Attempt;
}) {
  const result = error === null ? `HTTP ${responseStatus}` : describeError(error).title;
  return (
    <Group gap="xs">
      <Text fw={600}>
        {number}. {result}
      </Text>
      {(manual || probe) && (
        <Badge variant="outline" size="sm" tt="none">
          {manual ? 'manual' : 'probe'}
        </Badge>
      )}
      <Text size="sm" c="dimmed">
        <RelativeTime at={at} />, {formatDuration(durationMs)}
      </Text>
    </Group>
  );
}

/** The scheduled attempt that is in progress or next. */
function NextAttempt({ delivery }: { delivery: DeliveryDetail }) {
  const { attempt, nextRetryAt, waitingFor } = delivery;
  if (isAttemptInProgress(delivery)) return `Scheduled attempt ${attempt} of ${MAX_ATTEMPTS} in progress`;
  const next = `Scheduled attempt ${Math.min(attempt + 1, MAX_ATTEMPTS)} of ${MAX_ATTEMPTS}`;
  if (waitingFor) return `${next} waits for ${WAIT_DESCRIPTIONS[waitingFor]}`;
  if (nextRetryAt === null) return `${next} queued`;
  return (
    <>
      {next} due <RelativeTime at={nextRetryAt} />
    </>
  );
}

/** Attempts of a delivery, oldest first, followed by the next scheduled one. */
export function AttemptTimeline({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts } = delivery;
  const isPending = hasNextAttempt(delivery);
  if (attempts.length === 0 && !isPending)
    return <Text c="dimmed">No attempts. Nothing was sent to the receiver.</Text>;
  return (
    <Timeline bulletSize={24} lineWidth={2} active={attempts.length - 1} role="list" aria-label="Attempts">
      {attempts.map((attempt, index) => (
        <Timeline.Item
          key={attempt.number}
          role="listitem"
          color={attempt.error === null ? 'teal' : 'red'}
          bullet={attempt.error === null ? <IconCheck {...ICON} /> : <IconX {...ICON} />}
          title={<AttemptHeading attempt={attempt} />}
        >
          <AttemptDetails
            attempt={attempt}
            delivery={delivery}
            previous={attempts[index - 1]}
            isPending={isPending}
          />
        </Timeline.Item>
      ))}
      {isPending && (
        <Timeline.Item role="listitem" bullet={<IconClock {...ICON} />} lineVariant="dashed">
          <Text c="dimmed">
            <NextAttempt delivery={delivery} />
          </Text>
        </Timeline.Item>
      )}
    </Timeline>
  );
}

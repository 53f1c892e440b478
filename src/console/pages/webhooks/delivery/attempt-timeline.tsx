import { Badge, Code, Group, Text, Timeline } from '@mantine/core';
import { IconCheck, IconClock, IconX } from '@tabler/icons-react';
import { Time } from '../../../components/relative-time.tsx';
import { failureOf } from '../delivery-errors.ts';
import { MAX_ATTEMPTS } from '../delivery-queries.ts';
import { duration } from '../format.ts';
import { type Attempt, type DeliveryDetail, isUnderWay } from './use-delivery.ts';

const ICON = { size: 14, 'aria-hidden': true } as const;

interface OutcomeProps {
  attempt: Attempt;
  /** The one before it: what went wrong again is not explained again. */
  before: Attempt | undefined;
}

function Outcome({ attempt: { error, responseStatus, responseBody }, before }: OutcomeProps) {
  // Of an answer that broke off, the status had come already.
  const status =
    responseStatus !== null && error !== `http_${responseStatus}` ? ` · HTTP ${responseStatus}` : '';
  return (
    <>
      {error !== null && (
        <>
          {error !== before?.error && (
            <Text size="sm" mt={4}>
              {failureOf(error).advice}
            </Text>
          )}
          <Text size="xs" c="dimmed" mt={4} className="mono">
            {error}
            {status}
          </Text>
        </>
      )}
      {responseBody && (
        <Code block mt="xs" className="wrapped">
          {responseBody}
        </Code>
      )}
    </>
  );
}

function Heading({
  attempt: { number, manual, error, at, durationMs, responseStatus },
}: {
  attempt: Attempt;
}) {
  const what = error === null ? `Answered ${responseStatus}` : failureOf(error).title;
  return (
    <Group gap="xs">
      <Text fw={600}>
        {number}. {what}
      </Text>
      {manual && (
        <Badge variant="outline" size="sm" tt="none">
          manual
        </Badge>
      )}
      <Text size="sm" c="dimmed">
        <Time at={at} />, took {duration(durationMs)}
      </Text>
    </Group>
  );
}

/** What comes next: an attempt that is being made, or the one to come. */
function Next({ delivery }: { delivery: DeliveryDetail }) {
  const { attempt, nextRetryAt } = delivery;
  if (isUnderWay(delivery)) return `Scheduled attempt ${attempt} of ${MAX_ATTEMPTS} is under way`;
  return (
    <>
      Scheduled attempt {Math.min(attempt + 1, MAX_ATTEMPTS)} of {MAX_ATTEMPTS} is due{' '}
      {nextRetryAt && <Time at={nextRetryAt} />}
    </>
  );
}

/** Each attempt, oldest first, and the one to come. */
export function AttemptTimeline({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts, status } = delivery;
  const waits = status === 'pending' || status === 'retrying';
  if (attempts.length === 0 && !waits) return <Text c="dimmed">No attempt was made.</Text>;
  return (
    <Timeline bulletSize={24} lineWidth={2} active={attempts.length - 1} role="list" aria-label="Attempts">
      {attempts.map((attempt, index) => (
        <Timeline.Item
          key={attempt.number}
          role="listitem"
          color={attempt.error === null ? 'teal' : 'red'}
          bullet={attempt.error === null ? <IconCheck {...ICON} /> : <IconX {...ICON} />}
          title={<Heading attempt={attempt} />}
        >
          <Outcome attempt={attempt} before={attempts[index - 1]} />
        </Timeline.Item>
      ))}
      {waits && (
        <Timeline.Item role="listitem" bullet={<IconClock {...ICON} />} lineVariant="dashed">
          <Text c="dimmed">
            <Next delivery={delivery} />
          </Text>
        </Timeline.Item>
      )}
    </Timeline>
  );
}

import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Time } from '../../../components/relative-time.tsx';
import { number } from '../../../format.ts';
import type { HandoffUrgency } from '../../../generated/graphql.ts';
import type { ConversationDetail } from './use-conversation.ts';

const URGENCY: Record<HandoffUrgency, string> = {
  low: 'gray',
  normal: 'blue',
  high: 'orange',
  urgent: 'red',
};

const Section = ({ title, none, children }: { title: string; none: string; children: ReactNode[] }) => (
  <Stack gap={6} component="section">
    <Title order={3} size="h6">
      {title}
    </Title>
    {children.length > 0 ? (
      children
    ) : (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    )}
  </Stack>
);

const Item = ({ what, detail, at }: { what: ReactNode; detail?: ReactNode; at: string }) => (
  <div>
    <Group justify="space-between" gap="xs">
      <Text size="sm" fw={550} className="breakable" component="div">
        {what}
      </Text>
      <Text size="xs" c="dimmed">
        <Time at={at} />
      </Text>
    </Group>
    {detail && (
      <Text size="sm" c="dimmed" className="breakable">
        {detail}
      </Text>
    )}
  </div>
);

/** What came of it: outcome, conversions, whom it was resolved to, and requests for a person. */
export function ResultsCard({ outcome, conversions, resolutions, handoffs }: ConversationDetail) {
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        What came of it
      </Title>
      <Stack gap="lg">
        <Section title="Outcome" none="No reviewer has marked it.">
          {outcome ? [<Item key="outcome" what={outcome.category} at={outcome.markedAt} />] : []}
        </Section>
        <Section title="Conversions" none="None recorded.">
          {conversions.map(({ id, type, goal, value, recordedAt }) => (
            <Item
              key={id}
              what={value == null ? goal : `${goal}: ${number.format(value)}`}
              detail={type === goal ? null : type}
              at={recordedAt}
            />
          ))}
        </Section>
        <Section title="Hand-offs" none="Nobody was asked to take over.">
          {handoffs.map(({ id, schemaName, urgency, reason, requestedAt }) => (
            <Item
              key={id}
              what={
                <Group gap="xs">
                  <span>{schemaName}</span>
                  <Badge variant="light" tt="none" color={URGENCY[urgency]}>
                    {urgency}
                  </Badge>
                </Group>
              }
              detail={reason}
              at={requestedAt}
            />
          ))}
        </Section>
        <Section title="Resolutions" none="None recorded.">
          {resolutions.map(({ id, resolvedPersonId, resolvedCompany, recordedAt }) => (
            <Item
              key={id}
              what={resolvedCompany ?? resolvedPersonId}
              detail={resolvedCompany ? resolvedPersonId : null}
              at={recordedAt}
            />
          ))}
        </Section>
      </Stack>
    </Card>
  );
}

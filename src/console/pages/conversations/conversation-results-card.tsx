import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../components/time.tsx';
import { formatNumber } from '../../format.ts';
import type { HandoffUrgency } from '../../generated/graphql.ts';
import type { ConversationDetail } from './use-conversation.ts';

const URGENCY: Record<HandoffUrgency, string> = {
  low: 'gray',
  normal: 'blue',
  high: 'orange',
  urgent: 'red',
};

const Section = ({ title, empty, children }: { title: string; empty: string; children: ReactNode[] }) => (
  <Stack gap={6} component="section">
    <Title order={3} size="h6">
      {title}
    </Title>
    {children.length > 0 ? (
      children
    ) : (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    )}
  </Stack>
);

const Item = ({ label, detail, at }: { label: ReactNode; detail?: ReactNode; at: string }) => (
  <div>
    <Group justify="space-between" gap="xs">
      <Text size="sm" fw={550} className="breakable" component="div">
        {label}
      </Text>
      <Text size="xs" c="dimmed">
        <RelativeTime at={at} />
      </Text>
    </Group>
    {detail && (
      <Text size="sm" c="dimmed" className="breakable">
        {detail}
      </Text>
    )}
  </div>
);

/** Outcome, conversions, handoffs and resolutions of a conversation. */
export function ConversationResultsCard({ outcome, conversions, resolutions, handoffs }: ConversationDetail) {
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Results
      </Title>
      <Stack gap="lg">
        <Section title="Outcome" empty="Not marked.">
          {outcome ? [<Item key="outcome" label={outcome.category} at={outcome.markedAt} />] : []}
        </Section>
        <Section title="Conversions" empty="No conversions.">
          {conversions.map(({ id, type, goal, value, recordedAt }) => (
            <Item
              key={id}
              label={value == null ? goal : `${goal}: ${formatNumber(value)}`}
              detail={type === goal ? null : type}
              at={recordedAt}
            />
          ))}
        </Section>
        <Section title="Handoffs" empty="No handoff requests.">
          {handoffs.map(({ id, schemaName, urgency, reason, requestedAt }) => (
            <Item
              key={id}
              label={
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
        <Section title="Resolutions" empty="No resolutions.">
          {resolutions.map(({ id, resolvedPersonId, resolvedCompany, recordedAt }) => (
            <Item
              key={id}
              label={resolvedCompany ?? resolvedPersonId}
              detail={resolvedCompany ? resolvedPersonId : null}
              at={recordedAt}
            />
          ))}
        </Section>
      </Stack>
    </Card>
  );
}

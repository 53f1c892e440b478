import { Card, Text, Title } from '@mantine/core';

/** What it came to, as the provider's AI has it. */
export const SummaryCard = ({ summary }: { summary: string | null }) => (
  <Card withBorder>
    <Title order={2} size="h4" mb="xs">
      Summary
    </Title>
    {summary ? (
      <>
        <Text className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {summary}
        </Text>
        <Text size="xs" c="dimmed" mt="sm">
          Written by the provider's AI.
        </Text>
      </>
    ) : (
      <Text c="dimmed">The provider has given none so far.</Text>
    )}
  </Card>
);

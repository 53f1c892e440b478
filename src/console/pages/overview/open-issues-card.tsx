import { Alert, Anchor, List } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useAttention } from './use-open-issues.ts';

/** What somebody should look at; says so when it is nothing. */
export function AttentionCard() {
  const { items, loading } = useAttention();
  if (loading) return null;
  if (items.length === 0) {
    return (
      <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title="Nothing needs attention">
        Endpoints are on, nothing has failed in the last day, and the model fits.
      </Alert>
    );
  }
  return (
    <Alert color="orange" icon={<IconAlertCircle aria-hidden />} title="Needs attention">
      <List spacing={4} className="breakable">
        {items.map(({ text, to }) => (
          <List.Item key={text}>
            <Anchor component={Link} href={to} c="inherit" underline="always" inherit>
              {text}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

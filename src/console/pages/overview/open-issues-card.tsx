import { Alert, Anchor, List } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useOpenIssues } from './use-open-issues.ts';

export function OpenIssuesCard() {
  const { issues, loading } = useOpenIssues();
  if (loading) return null;
  if (issues.length === 0) {
    return (
      <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title="No open issues">
        All endpoints are enabled, no delivery failed in the last 24 hours, and no drift was detected.
      </Alert>
    );
  }
  return (
    <Alert color="orange" icon={<IconAlertCircle aria-hidden />} title="Open issues">
      <List spacing={4} className="breakable">
        {issues.map(({ text, to }) => (
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

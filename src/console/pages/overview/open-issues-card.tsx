import { Anchor, Button, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import { useConnected } from '../../api/connection.ts';
import { DateTime } from '../../components/time.tsx';
import { useHiddenIssues } from './use-hidden-issues.ts';
import { type OpenIssue, useOpenIssues } from './use-open-issues.ts';

const ICON = { size: 20, style: { flexShrink: 0 }, 'aria-hidden': true } as const;

interface IssueRowProps {
  issue: OpenIssue;
  /** Buttons of the issue. */
  children?: ReactNode;
}

const IssueRow = ({ issue: { text, to }, children }: IssueRowProps) => (
  <List.Item styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}>
    <Group justify="space-between" gap="xs">
      <Anchor component={Link} href={to} flex="1 1 240px" lineClamp={3} className="breakable">
        {text}
      </Anchor>
      <Group gap={4}>{children}</Group>
    </Group>
  </List.Item>
);

interface IssueButtonProps {
  /** Visible label; the accessible name adds the issue. */
  label: string;
  issue: OpenIssue;
  onClick: () => void;
}

const IssueButton = ({ label, issue, onClick }: IssueButtonProps) => (
  <Button
    variant="subtle"
    color="gray"
    size="compact-sm"
    c="dimmed"
    aria-label={`${label}: ${issue.text}`}
    onClick={onClick}
  >
    {label}
  </Button>
);

/** Issues that need attention. Each part appears as soon as it is loaded. */
export function OpenIssuesCard() {
  const connected = useConnected();
  const sources = useOpenIssues();
  const { isHidden, hiddenUntil, snooze, dismiss, restore } = useHiddenIssues(sources);
  const [showsHidden, { toggle }] = useDisclosure(false);
  const title = useRef<HTMLHeadingElement>(null);

  const issues = sources.flatMap((source) => source.issues);
  const visible = issues.filter(({ id }) => !isHidden(id));
  const hidden = issues.filter(({ id }) => isHidden(id));
  const failures = sources.flatMap(({ failure }) => failure ?? []);
  const loading = sources.filter((source) => source.loading).map(({ subject }) => subject);
  const isClear = connected && loading.length === 0 && visible.length + failures.length === 0;

  /** Keeps the focus in the card, because the button is removed with its row. */
  const hide = (change: (id: string) => void, { id }: OpenIssue): void => {
    change(id);
    title.current?.focus();
  };

  return (
    <Card withBorder component="section" aria-labelledby="open-issues">
      <Group gap="xs" mb="xs" wrap="nowrap">
        {isClear ? (
          <IconCircleCheck {...ICON} color="var(--mantine-color-teal-filled)" />
        ) : (
          <IconAlertCircle {...ICON} color="var(--mantine-color-orange-filled)" />
        )}
        <Title order={2} size="h4" id="open-issues" ref={title} tabIndex={-1}>
          {isClear ? 'No open issues' : 'Open issues'}
        </Title>
      </Group>
      <Stack gap="xs">
        {isClear && hidden.length === 0 && (
          <Text size="sm">
            No endpoint is failing, no delivery failed in the last 24 hours, no urgent handoff is waiting, and
            no drift was detected.
          </Text>
        )}
        {visible.length + failures.length > 0 && (
          <List listStyleType="none" spacing={4} aria-label="Open issues">
            {failures.map((failure) => (
              <IssueRow key={failure.id} issue={failure} />
            ))}
            {visible.map((issue) => (
              <IssueRow key={issue.id} issue={issue}>
                <IssueButton label="Snooze" issue={issue} onClick={() => hide(snooze, issue)} />
                <IssueButton label="Dismiss" issue={issue} onClick={() => hide(dismiss, issue)} />
              </IssueRow>
            ))}
          </List>
        )}
        {connected && loading.length > 0 && (
          <Text size="sm" c="dimmed" role="status">
            Loading: {loading.join(', ')}
          </Text>
        )}
        {visible.length > 0 && (
          <Text size="xs" c="dimmed">
            Snooze hides an issue for 24 hours, Dismiss until it occurs again. Both apply to this browser
            only.
          </Text>
        )}
        {hidden.length > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            style={{ alignSelf: 'flex-start' }}
            aria-expanded={showsHidden}
            onClick={toggle}
          >
            Hidden issues ({hidden.length})
          </Button>
        )}
        {showsHidden && hidden.length > 0 && (
          <List listStyleType="none" spacing={4} aria-label="Hidden issues">
            {hidden.map((issue) => {
              const until = hiddenUntil(issue.id);
              return (
                <IssueRow key={issue.id} issue={issue}>
                  <Text size="xs" c="dimmed">
                    {until === null ? (
                      'dismissed'
                    ) : (
                      <>
                        snoozed until <DateTime at={new Date(until).toISOString()} />
                      </>
                    )}
                  </Text>
                  <IssueButton label="Restore" issue={issue} onClick={() => hide(restore, issue)} />
                </IssueRow>
              );
            })}
          </List>
        )}
      </Stack>
    </Card>
  );
}

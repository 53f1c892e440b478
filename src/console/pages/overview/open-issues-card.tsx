import { Anchor, Badge, Button, Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import { useConnected } from '../../api/connection.ts';
import { BreakableText } from '../../components/breakable-text.tsx';
import { DateTime, RelativeTime } from '../../components/time.tsx';
import { formatAlternatives } from '../../format.ts';
import { type OpenIssue, SEVERITIES } from '../../open-issue.ts';
import { useHiddenIssues } from './use-hidden-issues.ts';
import { useOpenIssues } from './use-open-issues.ts';

const ICON = { size: 20, style: { flexShrink: 0 }, 'aria-hidden': true } as const;

const SEVERITY_COLORS = { critical: 'red', warning: 'orange', info: 'gray' } as const satisfies Record<
  OpenIssue['severity'],
  string
>;

/** Fits the longest severity, so that the issues begin below each other. */
const SEVERITY_WIDTH_PX = 84;

interface IssueRowProps {
  issue: OpenIssue;
  /** Buttons of the issue. */
  children?: ReactNode;
}

const IssueRow = ({ issue: { severity, text, age, to }, children }: IssueRowProps) => (
  <List.Item styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}>
    <Group justify="space-between" gap="xs">
      <Group flex="1 1 260px" gap="xs" wrap="nowrap" align="baseline">
        <Badge color={SEVERITY_COLORS[severity]} variant="light" tt="none" miw={SEVERITY_WIDTH_PX}>
          {severity}
        </Badge>
        <div>
          <Anchor component={Link} href={to} lineClamp={3} className="breakable">
            <BreakableText>{text}</BreakableText>
          </Anchor>
          {age && (
            <Text size="xs" c="dimmed">
              {age.label} <RelativeTime at={age.at} />
            </Text>
          )}
        </div>
      </Group>
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

/** Position of the most urgent issue of a part among the severities. */
const urgencyOf = ({
  failure,
  issues,
}: {
  failure: OpenIssue | null;
  issues: readonly OpenIssue[];
}): number =>
  Math.min(...[failure, ...issues].flatMap((issue) => (issue ? [SEVERITIES.indexOf(issue.severity)] : [])));

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
  /** Visible issues by part of the service; the part with the most urgent issue first. */
  const groups = sources
    .map(({ subject, ...source }) => ({
      subject,
      failure: source.failure,
      issues: source.issues.filter(({ id }) => !isHidden(id)),
    }))
    .filter(({ failure, issues }) => failure !== null || issues.length > 0)
    .sort((a, b) => urgencyOf(a) - urgencyOf(b));
  if (sources.length === 0)
    return (
      <Text>
        The key can read none of the parts of the service that have issues. The menu has what it can read.
      </Text>
    );
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
          <Text size="sm">No {formatAlternatives(sources.map(({ absence }) => absence))}.</Text>
        )}
        {groups.map(({ subject, failure, issues }) => (
          <div key={subject}>
            <Title order={3} size="sm" mb={4}>
              {subject} ({issues.length + (failure ? 1 : 0)})
            </Title>
            <List listStyleType="none" spacing={4} aria-label={`Open issues: ${subject}`}>
              {failure && <IssueRow issue={failure} />}
              {issues.map((issue) => (
                <IssueRow key={issue.id} issue={issue}>
                  <IssueButton label="Snooze" issue={issue} onClick={() => hide(snooze, issue)} />
                  <IssueButton label="Dismiss" issue={issue} onClick={() => hide(dismiss, issue)} />
                </IssueRow>
              ))}
            </List>
          </div>
        ))}
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

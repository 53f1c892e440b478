import { Button, Card, Group, NumberInput, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_RETENTION_DAYS } from '../../../shared/retention.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatBoundedCount, formatNumber } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { RetentionPreviewQuery, RetentionQuery, UpdateRetentionInput } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';

const RETENTION = graphql(`
  query Retention {
    retention {
      conversations
      transcripts
      meetings
      previewEvents
      eventsAndDeliveries
      auditLog
      lastRunAt
      failed
      removed {
        conversations
        transcripts
        meetings
        previewEvents
        eventsAndDeliveries
        auditLog
      }
    }
  }
`);

const PREVIEW = graphql(`
  query RetentionPreview(
    $conversations: Int
    $transcripts: Int
    $meetings: Int
    $previewEvents: Int
    $eventsAndDeliveries: Int
    $auditLog: Int
  ) {
    retentionPreview(
      conversations: $conversations
      transcripts: $transcripts
      meetings: $meetings
      previewEvents: $previewEvents
      eventsAndDeliveries: $eventsAndDeliveries
      auditLog: $auditLog
    ) {
      conversations
      transcripts
      meetings
      previewEvents
      eventsAndDeliveries
      auditLog
    }
  }
`);

const UPDATE = graphql(`
  mutation UpdateRetention($input: UpdateRetentionInput!) {
    updateRetention(input: $input) {
      updatedAt
    }
  }
`);

type Retention = RetentionQuery['retention'];
type Counts = RetentionPreviewQuery['retentionPreview'];
type Kind = keyof Counts;

/** Retention times: each with the name of its data, and what it covers or when it begins. */
const KINDS = [
  ['conversations', 'Conversations', 'With messages, events and deliveries; from the latest activity'],
  ['transcripts', 'Transcripts', 'The meeting stays; from its start'],
  ['meetings', 'Meetings', 'With transcripts; from their start'],
  ['previewEvents', 'Custom events', 'From acceptance'],
  ['eventsAndDeliveries', 'Webhook events', 'With their deliveries; from the end of the last one'],
  ['auditLog', 'Audit log', 'Changed by an admin key only'],
] as const satisfies (readonly [Kind, string, string])[];

const HEAD = ['Data', 'Days', 'Expired now', 'Removed last'];
const REFRESH_MS = 30_000;
const TYPING_MS = 500;

export const retentionQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.retention(customerId),
  queryFn: async () => (await call(RETENTION)).retention,
});

/** The customer's retention times: each with what it would remove now, and what the latest run has removed. */
export function RetentionCard() {
  const { data, error } = useQuery({ ...retentionQuery(useSession()), refetchInterval: REFRESH_MS });
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Retention
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Data is removed this many days after its latest activity; without a time, the limits of the service
        apply.{' '}
        {data?.lastRunAt && (
          <>
            Latest run: <RelativeTime at={data.lastRunAt} />.
          </>
        )}
      </Text>
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton h={320} aria-label="Loading the retention times" />}
      {data && <RetentionForm retention={data} />}
    </Card>
  );
}

function RetentionForm({ retention }: { retention: Retention }) {
  const { canWrite, isAdmin } = useSession();
  const [changes, setChanges] = useState<UpdateRetentionInput>({});
  const [settled] = useDebouncedValue(changes, TYPING_MS);
  const preview = usePreview(settled);
  const change = (kind: Kind, value: number | string): void => {
    const days = value === '' ? null : Number(value);
    const { [kind]: _previous, ...others } = changes;
    setChanges(days === retention[kind] ? others : { ...others, [kind]: days });
  };
  return (
    <Stack gap="sm">
      <DataTable label="Retention times" minWidthPx={640} head={HEAD}>
        {KINDS.map(([kind, label, description]) => (
          <Table.Tr key={kind}>
            <Table.Td>
              <Text size="sm" fw={550}>
                {label}
              </Text>
              <Text size="xs" c="dimmed">
                {description}
              </Text>
              {retention.failed.includes(kind) && <StatusBadge status="failed" />}
            </Table.Td>
            <Table.Td>
              <NumberInput
                aria-label={`Days: ${label}`}
                w="100%"
                maw={130}
                min={1}
                max={MAX_RETENTION_DAYS}
                allowDecimal={false}
                placeholder="no time"
                hideControls
                disabled={!canWrite || (kind === 'auditLog' && !isAdmin)}
                value={(changes[kind] === undefined ? retention[kind] : changes[kind]) ?? ''}
                onChange={(value) => change(kind, value)}
              />
            </Table.Td>
            <Table.Td className="mono">
              {preview.data ? formatBoundedCount(preview.data[kind]) : preview.error ? '–' : '…'}
            </Table.Td>
            <Table.Td className="mono">{formatNumber(retention.removed[kind])}</Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
      <ErrorAlert error={preview.error} />
      {Object.keys(changes).length > 0 && (
        <Group>
          <SaveTimes
            changes={changes}
            counts={changes === settled ? preview.data : undefined}
            onSaved={() => setChanges({})}
          />
          <Button variant="default" onClick={() => setChanges({})}>
            Discard
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Counts the objects that the changed times would remove. */
function usePreview(changes: UpdateRetentionInput) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.retentionPreview(customerId, changes),
    queryFn: async () => (await call(PREVIEW, changes)).retentionPreview,
  });
}

interface SaveTimesProps {
  changes: UpdateRetentionInput;
  /** Numbers of expired objects; undefined while they are counted. */
  counts: Counts | undefined;
  onSaved: () => void;
}

function SaveTimes({ changes, counts, onSaved }: SaveTimesProps) {
  const { call, customerId } = useSession();
  const save = useServiceMutation(() => call(UPDATE, { input: changes }), {
    invalidates: [queryKeys.retention(customerId)],
    onSuccess: onSaved,
    notify: () => ({ message: 'Retention times saved.', color: 'teal' }),
  });
  return (
    <ConfirmDialog
      title="Change the retention times?"
      action="Change"
      mutation={save}
      trigger={(open) => <Button onClick={open}>Save</Button>}
    >
      <Text size="sm">{describeRemoval(counts)} A removal cannot be undone.</Text>
    </ConfirmDialog>
  );
}

function describeRemoval(counts: Counts | undefined): string {
  if (!counts) return 'What has expired is removed within seconds.';
  const expired = KINDS.filter(([kind]) => counts[kind] > 0).map(
    ([kind, label]) => `${label.toLowerCase()} (${formatBoundedCount(counts[kind])})`,
  );
  return expired.length === 0
    ? 'The preview, which reads the oldest objects of each kind, found nothing to remove.'
    : `The following is removed within seconds: ${expired.join(', ')}.`;
}

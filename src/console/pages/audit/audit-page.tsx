import { Anchor, Card, Group, Skeleton, Table, Text } from '@mantine/core';
import { IconListDetails, IconSearch } from '@tabler/icons-react';
import { Link, useSearchParams } from 'wouter';
import { queryKeys } from '../../api/query-keys.ts';
import { firstPageQuery, type ListQuery, usePagedList } from '../../api/use-paged-list.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { LongText } from '../../components/long-text.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { PagedRows } from '../../components/paged-rows.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { graphql } from '../../generated/gql.ts';
import type { AuditLogQuery } from '../../generated/graphql.ts';
import { withSearchParams } from '../../search-params.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { syncRunPath } from '../meetings/meeting-paths.ts';

const AUDIT_LOG = graphql(`
  query AuditLog($after: String, $action: String) {
    auditLog(first: 50, after: $after, action: $action) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          id
          at
          action
          actor {
            type
            id
            name
            prefix
          }
          clientAddress
          target {
            type
            id
          }
          outcome
          count
          before
          after
        }
      }
    }
  }
`);

type Entry = AuditLogQuery['auditLog']['edges'][number]['node'];

const HEAD = ['Time', 'Act', 'Target', 'Change', 'Actor', 'Client', 'Outcome'];

const auditList = ({ call, customerId }: Session, action: string | null): ListQuery<Entry> => ({
  key: queryKeys.auditLog(customerId, action),
  loadPage: async (after) => (await call(AUDIT_LOG, { after, action })).auditLog,
});

/** Record of administrative acts, newest first. */
export default function AuditPage() {
  const [params, setParams] = useSearchParams();
  const action = params.get('action') || null;
  const list = usePagedList(auditList(useSession(), action));
  return (
    <PageLayout
      title="Audit log"
      subtitle="Who changed what, and when. Entries are only appended, and chained so that a change of them is noticed."
    >
      <SearchInput
        label="Act"
        placeholder="updateWebhookEndpoint"
        icon={<IconSearch size={16} aria-hidden />}
        value={action ?? ''}
        onSearch={(text) =>
          setParams((current) => withSearchParams(current, { action: text, after: null }), { replace: true })
        }
      />
      <PagedRows label="Audit log" list={list}>
        <ErrorAlert error={list.error} />
        {list.loading && <Skeleton h={240} aria-label="Loading the audit log" />}
        {!list.loading && !list.error && list.rows.length === 0 && (
          <EmptyState icon={IconListDetails} title={action ? 'No matching entries' : 'No entries yet'}>
            {action
              ? 'Enter the whole name of an operation, such as updateWebhookEndpoint.'
              : 'The first administrative act adds an entry.'}
          </EmptyState>
        )}
        {list.rows.length > 0 && (
          <Card withBorder p={0}>
            <DataTable label="Audit log" minWidthPx={960} head={HEAD}>
              {list.rows.map((entry) => (
                <Row key={entry.id} entry={entry} />
              ))}
            </DataTable>
          </Card>
        )}
      </PagedRows>
    </PageLayout>
  );
}

AuditPage.firstQueries = (session: Session) => [firstPageQuery(auditList(session, null))];

function Row({ entry }: { entry: Entry }) {
  const { at, action, actor, clientAddress, target, outcome, count } = entry;
  const change = changeText(entry);
  return (
    <Table.Tr>
      <Table.Td>
        <RelativeTime at={at} />
      </Table.Td>
      <Table.Td className="mono">{action}</Table.Td>
      <Table.Td className="breakable">
        {target.type} <TargetId {...target} />
      </Table.Td>
      <Table.Td maw={360}>{change && <LongText>{change}</LongText>}</Table.Td>
      <Table.Td>
        {actor.type} {actorText(actor)}
      </Table.Td>
      <Table.Td className="mono">{clientAddress ?? '–'}</Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <StatusBadge status={outcome} />
          {count > 1 && (
            <Text span size="sm">
              {count} times
            </Text>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** Paths of the pages that show targets, which may be deleted by now. */
const TARGET_PATHS: Record<string, (id: string) => string> = {
  webhookEndpoint: (id) => `/webhooks/${encodeURIComponent(id)}`,
  webhookDelivery: (id) => `/deliveries/${encodeURIComponent(id)}`,
  meetingSync: syncRunPath,
};

function TargetId({ type, id }: Entry['target']) {
  if (id === null) return null;
  const path = TARGET_PATHS[type]?.(id);
  if (!path) return <span className="mono">{id}</span>;
  return (
    <Anchor component={Link} href={path} inherit className="mono">
      {id}
    </Anchor>
  );
}

/** Names an actor by the name of its key, or else by the start of the key, or by its id. */
function actorText({ id, name, prefix }: Entry['actor']) {
  if (name !== null) return name;
  return <span className="mono">{prefix === null ? id : `${prefix}…`}</span>;
}

const valueText = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

/** Describes a change: `paused: false → true`; the parameters of an act without a state before. */
function changeText({ before, after }: Entry): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => {
      const is = valueText(after?.[name]);
      if (!before) return `${name}: ${is}`;
      return after ? `${name}: ${valueText(before[name])} → ${is}` : `${name}: ${valueText(before[name])}`;
    })
    .join(', ');
}

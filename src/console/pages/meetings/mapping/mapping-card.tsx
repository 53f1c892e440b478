import { Card, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { MappingEditor } from './mapping-editor.tsx';
import { MAPPING_HEAD, type Mapping } from './mapping-fields.ts';
import { ReprojectionProgress } from './reprojection-progress.tsx';

const FIELD_MAPPING = graphql(`
  query FieldMapping {
    recorderFieldMapping {
      sourceField: sourcePointer
      targetField
      transform
      required
    }
  }
`);

/** Field mapping from the provider's meetings to activities. */
export function MappingCard() {
  const { call, customerId, canWrite } = useSession();
  const { data, error } = useQuery({
    queryKey: queryKeys.fieldMapping(customerId),
    queryFn: async () => (await call(FIELD_MAPPING)).recorderFieldMapping,
    // A refetch must not replace a mapping while it is being edited.
    refetchOnWindowFocus: false,
  });
  return (
    <Card withBorder>
      <Stack>
        <div>
          <Title order={2} size="h4">
            Field mapping
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            Maps fields of the provider's meetings to fields of activities. A change applies to all
            activities: the service builds them again in the background from stored data. Every activity also
            has the properties <code>source</code>, <code>recorderMeetingId</code>,{' '}
            <code>participantCount</code> and <code>durationSeconds</code>.
          </Text>
        </div>
        <ReprojectionProgress />
        <ErrorAlert error={error} />
        {!data && !error && <Skeleton h={240} aria-label="Loading the field mapping" />}
        {data && (canWrite ? <MappingEditor saved={data} /> : <MappingTable mappings={data} />)}
      </Stack>
    </Card>
  );
}

/** Read-only field mapping for keys without write scope. */
const MappingTable = ({ mappings }: { mappings: readonly Mapping[] }) => (
  <DataTable label="Field mapping" minWidthPx={560} head={MAPPING_HEAD}>
    {mappings.map(({ sourceField, targetField, transform, required }) => (
      <Table.Tr key={targetField}>
        <Table.Td>
          <LongText className="mono breakable">{sourceField}</LongText>
        </Table.Td>
        <Table.Td>
          <LongText className="mono breakable">{targetField}</LongText>
        </Table.Td>
        <Table.Td>{transform}</Table.Td>
        <Table.Td>{required ? 'yes' : 'no'}</Table.Td>
      </Table.Tr>
    ))}
  </DataTable>
);

import { Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { MappingEditor } from './mapping-editor.tsx';
import { MappingTable } from './mapping-table.tsx';

const MAPPING = graphql(`
  query FieldMapping {
    recorderFieldMapping {
      sourceField
      targetField
      transform
      required
    }
  }
`);

/** What of the provider's meeting becomes what of its activity. */
export function MappingCard() {
  const { call, customerId, canWrite } = useSession();
  const queryKey = ['recorder-mapping', customerId];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async () => (await call(MAPPING)).recorderFieldMapping,
    // What is being edited is not changed under the editor's hands.
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
            Which field of the provider's meeting becomes which field of its activity. A change holds for
            meetings that are synced from then on. Every activity also has the properties <code>source</code>,{' '}
            <code>recorderMeetingId</code>, <code>participantCount</code> and <code>durationSeconds</code>.
          </Text>
        </div>
        <ErrorNote error={error} />
        {!data && !error && <Skeleton h={240} aria-label="Loading the field mapping" />}
        {data &&
          (canWrite ? <MappingEditor saved={data} queryKey={queryKey} /> : <MappingTable mappings={data} />)}
      </Stack>
    </Card>
  );
}

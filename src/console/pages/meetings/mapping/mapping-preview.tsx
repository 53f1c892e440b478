import { Alert, Anchor, Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { graphql } from '../../../generated/gql.ts';
import type { MappingPreviewQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { meetingPath } from '../meeting-paths.ts';
import { isPointer, type Mapping } from './mapping-fields.ts';
import { withoutRowErrors } from './use-mapping-draft.ts';

const PREVIEW = graphql(`
  query MappingPreview($mappings: [FieldMappingInput!]!, $id: String) {
    recorderFieldMappingPreview(mappings: $mappings, recorderMeetingId: $id) {
      recorderMeetingId
      hasRecord
      fields {
        sourceField
        targetField
        value
        warnings
      }
      activity {
        externalId
      }
    }
  }
`);

interface MappingPreviewProps {
  /** The mapping being edited. */
  mappings: Mapping[];
  /** Shows validation messages in the rows of the mapping. */
  showErrors: (error: unknown) => void;
}

/** Applies the edited mapping to a stored meeting without saving it. */
export function MappingPreview({ mappings, showErrors }: MappingPreviewProps) {
  const { call } = useSession();
  const [meetingId, setMeetingId] = useState('');
  const preview = useServiceMutation(
    (candidate: Mapping[]) => call(PREVIEW, { mappings: candidate, id: meetingId.trim() || null }),
    { onError: showErrors },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    preview.mutate(mappings);
  };
  const result = preview.data?.recorderFieldMappingPreview;
  const isOutdated = JSON.stringify(preview.variables) !== JSON.stringify(mappings);
  return (
    <form onSubmit={submit} aria-label="Preview">
      <Stack>
        <div>
          <Title order={3} size="h5">
            Preview
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            Applies the mapping above to a stored meeting. Nothing is saved.
          </Text>
        </div>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Provider meeting ID"
            description="Leave empty for the meeting with the latest start."
            maxLength={500}
            value={meetingId}
            onChange={({ currentTarget }) => setMeetingId(currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={preview.isPending}>
            Preview mapping
          </Button>
        </Group>
        <ErrorAlert error={withoutRowErrors(preview.error)} />
        {result === null && <Text role="status">No such meeting is stored.</Text>}
        {result && (
          <>
            {isOutdated && (
              <Text size="sm" role="status">
                The mapping has changed since this preview.
              </Text>
            )}
            {!result.hasRecord && result.fields.some(({ sourceField }) => isPointer(sourceField)) && (
              <Alert color="orange" title="The provider's record of this meeting is not stored">
                JSON pointers have no value for it. A full resync stores the record.
              </Alert>
            )}
            <MappingPreviewTable {...result} />
          </>
        )}
      </Stack>
    </form>
  );
}

type Preview = NonNullable<MappingPreviewQuery['recorderFieldMappingPreview']>;

const HEAD = ['Target', 'Value', 'Source', 'Warnings'];

/** Fields of the activity that the previewed mapping builds from a meeting. */
const MappingPreviewTable = ({ recorderMeetingId, fields, activity }: Omit<Preview, 'hasRecord'>) => (
  <div>
    <Text size="sm" mb="xs">
      Activity <code>{activity.externalId}</code> of the meeting{' '}
      <Anchor component={Link} href={meetingPath(recorderMeetingId)} className="mono breakable" inherit>
        {recorderMeetingId}
      </Anchor>
      :
    </Text>
    <DataTable label="Preview of the mapping" minWidthPx={720} head={HEAD}>
      {fields.map(({ sourceField, targetField, value, warnings }) => (
        <Table.Tr key={targetField} style={{ verticalAlign: 'top' }}>
          <Table.Td>
            <LongText className="mono breakable">{targetField}</LongText>
          </Table.Td>
          <Table.Td maw={360}>
            {value === null || value === undefined ? (
              <Text size="sm" c="dimmed" span>
                no value
              </Text>
            ) : (
              <LongText lines={4}>{value}</LongText>
            )}
          </Table.Td>
          <Table.Td>
            <LongText className="mono breakable">{sourceField}</LongText>
          </Table.Td>
          <Table.Td miw={160}>{warnings.join(' ')}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  </div>
);

import { Alert, Anchor, Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { isRecordPointer } from '../../../../shared/source-pointers.ts';
import { MAX_TEXT } from '../../../../shared/text-limits.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { graphql } from '../../../generated/gql.ts';
import type { MappingPreviewQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { meetingPath } from '../meeting-paths.ts';
import type { Mapping } from './mapping-fields.ts';
import { withoutRowErrors } from './use-mapping-draft.ts';

const PREVIEW = graphql(`
  query MappingPreview($mappings: [FieldMappingInput!]!, $id: String) {
    recorderFieldMappingPreview(mappings: $mappings, recorderMeetingId: $id) {
      recorderMeetingId
      hasRecord
      fields {
        sourcePointer
        targetField
        value
        warnings
      }
      activity {
        externalId
        properties
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
            maxLength={MAX_TEXT}
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
            {!result.hasRecord &&
              result.fields.some(({ sourcePointer }) => isRecordPointer(sourcePointer)) && (
                <Alert color="orange" title="The provider's record of this meeting is not stored">
                  Pointers into it have no value. A full resync stores the record.
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

interface PreviewRow {
  target: string;
  /** Null if the meeting has none. */
  value: string | null;
  /** Null for a property that the service sets on every activity. */
  source: string | null;
  warnings: string;
}

/** Returns the fields of the mapping, followed by the properties that the activity has without it. */
function previewRows({ fields, activity }: Pick<Preview, 'fields' | 'activity'>): PreviewRow[] {
  const mapped = fields.map(
    ({ targetField, value, sourcePointer, warnings }): PreviewRow => ({
      target: targetField,
      value: value ?? null,
      source: sourcePointer,
      warnings: warnings.join(' '),
    }),
  );
  const others = Object.entries(activity.properties).map(
    ([name, value]): PreviewRow => ({
      target: `properties.${name}`,
      value: value === null ? null : String(value),
      source: null,
      warnings: '',
    }),
  );
  const targets = mapped.map(({ target }) => target);
  return [...mapped, ...others.filter(({ target }) => !targets.includes(target))];
}

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
      {previewRows({ fields, activity }).map(({ target, value, source, warnings }) => (
        <Table.Tr key={target} style={{ verticalAlign: 'top' }}>
          <Table.Td>
            <LongText className="mono breakable">{target}</LongText>
          </Table.Td>
          <Table.Td maw={360}>
            {value === null ? (
              <Text size="sm" c="dimmed" span>
                no value
              </Text>
            ) : (
              <LongText lines={4}>{value}</LongText>
            )}
          </Table.Td>
          <Table.Td>
            {source === null ? (
              <Text size="sm">set by the service</Text>
            ) : (
              <LongText className="mono breakable">{source}</LongText>
            )}
          </Table.Td>
          <Table.Td miw={160}>{warnings}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  </div>
);

import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { DataTable } from '../../../components/data-table.tsx';
import { LongText } from '../../../components/long-text.tsx';
import type { MappingPreviewQuery } from '../../../generated/graphql.ts';
import { meetingPath } from '../meeting-paths.ts';

type Preview = NonNullable<MappingPreviewQuery['recorderFieldMappingPreview']>;

const HEAD = ['Target', 'Value', 'Source', 'Warnings'];

/** Fields of the activity that the previewed mapping builds from a meeting. */
export const MappingPreviewTable = ({ recorderMeetingId, fields, activity }: Omit<Preview, 'hasRecord'>) => (
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

import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ScrollTable } from '../../../components/scroll-table.tsx';
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
    <ScrollTable label="Preview of the mapping" minWidthPx={720} head={HEAD}>
      {fields.map(({ sourceField, targetField, value, warnings }) => (
        <Table.Tr key={targetField} style={{ verticalAlign: 'top' }}>
          <Table.Td className="mono">{targetField}</Table.Td>
          <Table.Td maw={360} className="breakable">
            {value === null || value === undefined ? (
              <Text size="sm" c="dimmed" span>
                no value
              </Text>
            ) : (
              <Text size="sm" lineClamp={4} title={value} span>
                {value}
              </Text>
            )}
          </Table.Td>
          <Table.Td className="mono breakable">{sourceField}</Table.Td>
          <Table.Td miw={160}>{warnings.join(' ')}</Table.Td>
        </Table.Tr>
      ))}
    </ScrollTable>
  </div>
);

import { Table } from '@mantine/core';
import { DataTable } from '../../../components/data-table.tsx';
import { LongText } from '../../../components/long-text.tsx';
import type { Mapping } from './mapping-fields.ts';

export const MAPPING_HEAD = ['Source', 'Target', 'Transform', 'Required'];

/** Read-only field mapping for keys without write scope. */
export const MappingTable = ({ mappings }: { mappings: readonly Mapping[] }) => (
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

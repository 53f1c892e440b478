import { Table } from '@mantine/core';
import { ScrollTable } from '../../../components/scroll-table.tsx';
import type { Mapping } from './mapping-fields.ts';

export const MAPPING_HEAD = ['Source', 'Target', 'Transform', 'Required'];

/** Read-only field mapping for keys without write scope. */
export const MappingTable = ({ mappings }: { mappings: readonly Mapping[] }) => (
  <ScrollTable label="Field mapping" minWidthPx={560} head={MAPPING_HEAD}>
    {mappings.map(({ sourceField, targetField, transform, required }) => (
      <Table.Tr key={targetField}>
        <Table.Td className="mono">{sourceField}</Table.Td>
        <Table.Td className="mono">{targetField}</Table.Td>
        <Table.Td>{transform}</Table.Td>
        <Table.Td>{required ? 'yes' : 'no'}</Table.Td>
      </Table.Tr>
    ))}
  </ScrollTable>
);

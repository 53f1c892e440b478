import { Table } from '@mantine/core';

/** Header cells; a column of buttons has words as well. */
export const TableHead = ({ columns }: { columns: readonly string[] }) => (
  <Table.Thead>
    <Table.Tr>
      {columns.map((words) => (
        <Table.Th key={words} scope="col" style={{ whiteSpace: 'nowrap' }}>
          {words}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
);

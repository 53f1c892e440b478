import { Accordion, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable } from './data-table.tsx';

interface ChartTableProps {
  /** Accessible name of the table. */
  label: string;
  /** What a row is, with the number of rows: `24 hours`. */
  rows: string;
  minWidthPx: number;
  head: readonly string[];
  children: ReactNode;
}

/** Table equivalent of a chart, collapsed by default. */
export const ChartTable = ({ label, rows, minWidthPx, head, children }: ChartTableProps) => (
  <Accordion mt="sm">
    <Accordion.Item value="table" style={{ borderBottom: 0 }}>
      <Accordion.Control>
        <Text size="sm">Show {rows} as a table</Text>
      </Accordion.Control>
      <Accordion.Panel>
        <DataTable label={label} minWidthPx={minWidthPx} head={head}>
          {children}
        </DataTable>
      </Accordion.Panel>
    </Accordion.Item>
  </Accordion>
);

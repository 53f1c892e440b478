import { Accordion, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable } from '../../components/data-table.tsx';
import { formatCount } from '../../format.ts';

interface CheckTableProps {
  label: string;
  count: number;
  minWidthPx: number;
  head: readonly string[];
  /** Rows. */
  children: ReactNode;
}

/** Table equivalent of a chart of checks, collapsed by default. */
export const CheckTable = ({ label, count, minWidthPx, head, children }: CheckTableProps) => (
  <Accordion mt="sm">
    <Accordion.Item value="table" style={{ borderBottom: 0 }}>
      <Accordion.Control>
        <Text size="sm">Show {formatCount(count, 'check')} as a table</Text>
      </Accordion.Control>
      <Accordion.Panel>
        <DataTable label={label} minWidthPx={minWidthPx} head={head}>
          {children}
        </DataTable>
      </Accordion.Panel>
    </Accordion.Item>
  </Accordion>
);

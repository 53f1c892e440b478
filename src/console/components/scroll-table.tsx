import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface ScrollTableProps {
  /** What the table lists. */
  label: string;
  /** Below this width, in pixels, it scrolls. */
  minWidth?: number;
  /** Words of the header cells; a column of buttons has words as well. */
  head: readonly string[];
  /** Rows. */
  children: ReactNode;
}

/** A table that scrolls by itself where the screen is narrower than it, by keyboard too. */
export function ScrollTable({ label, minWidth = 640, head, children }: ScrollTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
      <Table aria-label={label} verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {head.map((words) => (
              <Table.Th key={words} scope="col" style={{ whiteSpace: 'nowrap' }}>
                {words}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

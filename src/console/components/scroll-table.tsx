import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface ScrollTableProps {
  /** Accessible name. */
  label: string;
  minWidthPx?: number;
  /** Column headings; a column of buttons needs one as well. */
  head: readonly string[];
  /** Rows. */
  children: ReactNode;
}

/** A table that scrolls horizontally on narrow screens, with keyboard support. */
export function ScrollTable({ label, minWidthPx = 640, head, children }: ScrollTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidthPx} type="native" tabIndex={0} role="region" aria-label={label}>
      <Table aria-label={label} verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {head.map((heading) => (
              <Table.Th key={heading} scope="col" style={{ whiteSpace: 'nowrap' }}>
                {heading}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

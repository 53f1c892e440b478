import { Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** A column heading that is a button which sorts the rows. */
export interface SortableHeading {
  heading: string;
  /** Null if the rows are sorted by another column. */
  order: 'ascending' | 'descending' | null;
  onSort: () => void;
}

interface ScrollTableProps {
  /** Accessible name. */
  label: string;
  minWidthPx?: number;
  /** Column headings; a column of buttons needs one as well. */
  head: readonly (string | SortableHeading)[];
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
            {head.map((column) =>
              typeof column === 'string' ? (
                <Table.Th key={column} scope="col" style={{ whiteSpace: 'nowrap' }}>
                  {column}
                </Table.Th>
              ) : (
                <SortableColumn key={column.heading} {...column} />
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const ORDER_ICONS = { ascending: IconArrowUp, descending: IconArrowDown };

function SortableColumn({ heading, order, onSort }: SortableHeading) {
  const Icon = order ? ORDER_ICONS[order] : IconArrowsSort;
  return (
    <Table.Th scope="col" aria-sort={order ?? 'none'} style={{ whiteSpace: 'nowrap' }}>
      <UnstyledButton onClick={onSort} fw={700} fz="inherit">
        {heading} <Icon size={14} aria-hidden style={{ verticalAlign: 'middle' }} />
      </UnstyledButton>
    </Table.Th>
  );
}

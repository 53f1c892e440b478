import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { TableHead } from './table-head.tsx';

interface ScrollTableProps {
  /** What the table lists. */
  label: string;
  /** Below this width, in pixels, it scrolls. */
  minWidth?: number;
  /** Words of the header cells; left out: the children bring head and body. */
  head?: readonly string[];
  /** Rows; without `head`, head and body. */
  children: ReactNode;
}

/** A table that scrolls by itself where the screen is narrower than it, by keyboard too. */
export function ScrollTable({ label, minWidth = 640, head, children }: ScrollTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
      <Table aria-label={label} verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        {head && <TableHead columns={head} />}
        {head ? <Table.Tbody>{children}</Table.Tbody> : children}
      </Table>
    </Table.ScrollContainer>
  );
}

import { createTheme, MantineThemeProvider, Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { CSSProperties, ReactNode } from 'react';
import classes from './data-table.module.css';

/** A column heading that sorts the rows on a click. */
export interface SortableHeading {
  heading: string;
  /** Null if the rows are sorted by another column. */
  order: 'ascending' | 'descending' | null;
  onSort: () => void;
}

interface DataTableProps {
  /** Accessible name. */
  label: string;
  /** The table scrolls horizontally below this width, except on a phone. */
  minWidthPx?: number;
  /** Column headings, at most 12; a column of buttons needs one as well. */
  head: readonly (string | SortableHeading)[];
  children: ReactNode;
}

/** Safari drops the implicit roles of table elements that CSS displays as blocks, as in the cards. */
const EXPLICIT_ROLES = createTheme({
  components: {
    TableThead: { defaultProps: { role: 'rowgroup' } },
    TableTbody: { defaultProps: { role: 'rowgroup' } },
    TableTr: { defaultProps: { role: 'row' } },
    TableTh: { defaultProps: { role: 'columnheader', scope: 'col' } },
    TableTd: { defaultProps: { role: 'cell' } },
  },
});

/** With more columns, the cells of a table are closer to each other. */
const MAX_WIDE_COLUMNS = 8;

const headingOf = (column: string | SortableHeading): string =>
  typeof column === 'string' ? column : column.heading;

/** A table with keyboard support. On a phone, each row is a card, with the column headings as labels of its values. */
export function DataTable({ label, minWidthPx = 640, head, children }: DataTableProps) {
  const variables = {
    '--min-width': `${minWidthPx}px`,
    ...Object.fromEntries(
      head.map((column, index) => [`--label-${index + 1}`, JSON.stringify(headingOf(column))]),
    ),
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <section className={classes.frame} style={variables as CSSProperties} aria-label={label} tabIndex={0}>
      <MantineThemeProvider theme={EXPLICIT_ROLES}>
        <Table
          role="table"
          aria-label={label}
          className={classes.table}
          verticalSpacing="sm"
          horizontalSpacing={head.length > MAX_WIDE_COLUMNS ? 'xs' : 'md'}
          highlightOnHover
        >
          <Table.Thead>
            <Table.Tr>
              {head.map((column) =>
                typeof column === 'string' ? (
                  <Table.Th key={column}>{column}</Table.Th>
                ) : (
                  <SortableColumn key={column.heading} {...column} />
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </MantineThemeProvider>
    </section>
  );
}

const ORDER_ICONS = { ascending: IconArrowUp, descending: IconArrowDown };

function SortableColumn({ heading, order, onSort }: SortableHeading) {
  const Icon = order ? ORDER_ICONS[order] : IconArrowsSort;
  return (
    <Table.Th aria-sort={order ?? 'none'}>
      <UnstyledButton onClick={onSort} fw={700} fz="inherit">
        {heading} <Icon size={14} aria-hidden style={{ verticalAlign: 'middle' }} />
      </UnstyledButton>
    </Table.Th>
  );
}

import { Box, Button, type ButtonProps, Center, Group, Loader, Stack } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Paging } from '../api/use-paged-list.ts';

/** Labels of the buttons by the order of the rows. */
const LABELS = {
  newest: ['Newest', 'Newer', 'Older'],
  best: ['First page', 'Previous', 'Next'],
} as const;

interface PagedRowsProps {
  /** Plural of the rows: "deliveries". */
  label: string;
  list: Paging;
  /** Rows that are shown first; the newest by default. */
  first?: keyof typeof LABELS;
  /** Rows of the page, or the reason why there are none. */
  children: ReactNode;
}

/** Rows with page navigation. One page is shown at a time, which bounds the size of the list. */
export function PagedRows({ label, list, first = 'newest', children }: PagedRowsProps) {
  const { position, next, loadingPage } = list;
  const { after, showFirst, showPrevious, showNext } = position;
  const [firstLabel, previousLabel, nextLabel] = LABELS[first];
  const rows = useRef<HTMLDivElement>(null);
  const turned = useRef(false);
  /** Returns a click handler that shows another page and scrolls to its first row. */
  const turn = (show: () => void) => () => {
    turned.current = true;
    show();
  };

  useEffect(() => {
    if (loadingPage || !turned.current) return;
    turned.current = false;
    if (rows.current && rows.current.getBoundingClientRect().top < 0) rows.current.scrollIntoView();
  });

  return (
    <Stack gap="md" pos="relative" ref={rows} style={{ scrollMarginTop: 72 }}>
      {/* No dimmed rows: their contrast would be below the minimum. */}
      {loadingPage && (
        <Box pos="absolute" inset={0} style={{ pointerEvents: 'none' }}>
          <Center pos="sticky" top={88}>
            <Loader size="sm" role="status" aria-label={`Loading ${label}`} />
          </Center>
        </Box>
      )}
      <Stack gap="md" aria-busy={loadingPage}>
        {children}
      </Stack>
      {(after !== null || next !== null) && (
        <Group component="nav" aria-label={`Pages of ${label}`} justify="center" gap="xs">
          <PageButton
            show={after === null ? undefined : turn(showFirst)}
            leftSection={<IconChevronsLeft size={16} aria-hidden />}
          >
            {firstLabel}
          </PageButton>
          <PageButton show={showPrevious} leftSection={<IconChevronLeft size={16} aria-hidden />}>
            {previousLabel}
          </PageButton>
          <PageButton
            show={next === null ? undefined : turn(() => !loadingPage && showNext(next))}
            rightSection={<IconChevronRight size={16} aria-hidden />}
          >
            {nextLabel}
          </PageButton>
        </Group>
      )}
    </Stack>
  );
}

interface PageButtonProps extends Pick<ButtonProps, 'leftSection' | 'rightSection' | 'children'> {
  /** Undefined if there is no such page. */
  show: (() => void) | undefined;
}

/** Not `disabled`: a disabled button loses the focus when the last page is reached. */
const PageButton = ({ show, ...props }: PageButtonProps) => (
  <Button
    variant="default"
    data-disabled={!show || undefined}
    aria-disabled={!show}
    onClick={show}
    {...props}
  />
);

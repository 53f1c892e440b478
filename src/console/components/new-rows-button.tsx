import { Box, Button, Center } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { MAX_CHANGES } from '../api/live-rows/merge-live-rows.ts';
import type { LiveRows } from '../api/live-rows/use-live-paged-list.ts';
import { formatCount } from '../format.ts';

interface NewRowsButtonProps {
  live: Pick<LiveRows, 'hiddenCount' | 'showNewRows'>;
  /** One row: "delivery". */
  singular: string;
  /** Several rows: "deliveries". */
  plural: string;
}

/** Keeps the button below the page header while scrolling. */
const TOP_PX = 64;

/** Shows new rows on request. It has no height: the rows do not move when it appears. */
export function NewRowsButton({ live: { hiddenCount, showNewRows }, singular, plural }: NewRowsButtonProps) {
  const count =
    hiddenCount >= MAX_CHANGES
      ? `${MAX_CHANGES}+ new ${plural}`
      : formatCount(hiddenCount, `new ${singular}`, `new ${plural}`);
  return (
    <Box pos="sticky" top={TOP_PX} h={0} style={{ zIndex: 1 }} role="status">
      {hiddenCount > 0 && (
        <Center>
          <Button
            size="xs"
            radius="xl"
            leftSection={<IconArrowUp size={14} aria-hidden />}
            onClick={showNewRows}
          >
            Show {count}
          </Button>
        </Center>
      )}
    </Box>
  );
}

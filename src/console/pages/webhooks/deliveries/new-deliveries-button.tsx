import { Box, Button, Center } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { formatCount } from '../../../format.ts';
import { MAX_CHANGES } from './merge-deliveries.ts';

interface NewDeliveriesButtonProps {
  /** Number of new deliveries that are not shown yet. */
  count: number;
  show: () => void;
}

/** Keeps the button below the page header while scrolling. */
const TOP_PX = 64;

const countText = (count: number): string =>
  count >= MAX_CHANGES
    ? `${MAX_CHANGES}+ new deliveries`
    : formatCount(count, 'new delivery', 'new deliveries');

/** Shows new deliveries on request; has no height, so that the rows do not move when it appears. */
export function NewDeliveriesButton({ count, show }: NewDeliveriesButtonProps) {
  return (
    <Box pos="sticky" top={TOP_PX} h={0} style={{ zIndex: 1 }} role="status">
      {count > 0 && (
        <Center>
          <Button size="xs" radius="xl" leftSection={<IconArrowUp size={14} aria-hidden />} onClick={show}>
            Show {countText(count)}
          </Button>
        </Center>
      )}
    </Box>
  );
}

import { Box, Button, Center } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { MAX_CHANGES } from './merge-deliveries.ts';

interface HeldBackProps {
  /** Deliveries that have come and are not shown. */
  count: number;
  show: () => void;
}

/** Below the header of the page, wherever the reader is. */
const TOP = 64;

const words = (count: number): string => {
  if (count >= MAX_CHANGES) return `${MAX_CHANGES}+ new deliveries`;
  return count === 1 ? '1 new delivery' : `${count} new deliveries`;
};

/** Tells of deliveries that have come; takes no room, so that nothing moves when it does. */
export function HeldBack({ count, show }: HeldBackProps) {
  return (
    <Box pos="sticky" top={TOP} h={0} style={{ zIndex: 1 }} role="status">
      {count > 0 && (
        <Center>
          <Button size="xs" radius="xl" leftSection={<IconArrowUp size={14} aria-hidden />} onClick={show}>
            Show {words(count)}
          </Button>
        </Center>
      )}
    </Box>
  );
}

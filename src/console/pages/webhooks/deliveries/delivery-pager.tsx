import { Button, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react';
import type { DeliveryView } from './use-delivery-view.ts';

interface DeliveryPagerProps {
  view: DeliveryView;
  /** Cursor of the next page; null on the last page. */
  next: string | null;
}

/** Page navigation. One page is shown at a time, which bounds the size of the list. */
export function DeliveryPager({
  view: { after, showNewest, showNewer, showOlder },
  next,
}: DeliveryPagerProps) {
  if (after === null && next === null) return null;
  return (
    <Group component="nav" aria-label="Pages of deliveries" justify="center" gap="xs">
      <Button
        variant="default"
        disabled={after === null}
        leftSection={<IconChevronsLeft size={16} aria-hidden />}
        onClick={showNewest}
      >
        Newest
      </Button>
      <Button
        variant="default"
        disabled={!showNewer}
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        onClick={showNewer}
      >
        Newer
      </Button>
      <Button
        variant="default"
        disabled={next === null}
        rightSection={<IconChevronRight size={16} aria-hidden />}
        onClick={() => next !== null && showOlder(next)}
      >
        Older
      </Button>
    </Group>
  );
}

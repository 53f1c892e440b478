import { Button, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react';
import type { DeliveryView } from './use-delivery-view.ts';

interface DeliveryPagerProps {
  view: DeliveryView;
  /** Cursor of the next page; null: this is the last one. */
  next: string | null;
}

/** Turns the pages: one is shown at a time, so that the list stays light however long it is. */
export function DeliveryPager({ view: { after, newest, newer, older }, next }: DeliveryPagerProps) {
  if (after === null && next === null) return null;
  return (
    <Group component="nav" aria-label="Pages of deliveries" justify="center" gap="xs">
      <Button
        variant="default"
        disabled={after === null}
        leftSection={<IconChevronsLeft size={16} aria-hidden />}
        onClick={newest}
      >
        Newest
      </Button>
      <Button
        variant="default"
        disabled={!newer}
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        onClick={newer}
      >
        Newer
      </Button>
      <Button
        variant="default"
        disabled={next === null}
        rightSection={<IconChevronRight size={16} aria-hidden />}
        onClick={() => next !== null && older(next)}
      >
        Older
      </Button>
    </Group>
  );
}

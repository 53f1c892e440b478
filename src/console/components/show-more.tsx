import { Button, Center } from '@mantine/core';
import type { Paged } from '../api/use-paged-list.ts';

/** Under a list: reads its next page. */
export function MoreButton({ more, loadingMore }: Pick<Paged<unknown>, 'more' | 'loadingMore'>) {
  if (!more) return null;
  return (
    <Center>
      <Button variant="default" onClick={more} loading={loadingMore}>
        Show more
      </Button>
    </Center>
  );
}

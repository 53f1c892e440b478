import { Button, Group } from '@mantine/core';

interface ShowMoreProps {
  /** Shows the next rows; undefined if all rows are shown. */
  showMore: (() => void) | undefined;
  /** Shows all remaining rows. */
  showAll?: () => void;
  loadingMore?: boolean;
}

/** Buttons below a list that show its next rows or all of them. */
export function ShowMore({ showMore, showAll, loadingMore = false }: ShowMoreProps) {
  if (!showMore) return null;
  return (
    <Group justify="center">
      <Button variant="default" onClick={showMore} loading={loadingMore}>
        Show more
      </Button>
      {showAll && (
        <Button variant="subtle" onClick={showAll} disabled={loadingMore}>
          Show all
        </Button>
      )}
    </Group>
  );
}

import { Skeleton } from '@mantine/core';
import type { ComponentProps } from 'react';
import { EmptyState } from './empty-state.tsx';
import { ErrorAlert } from './error-alert.tsx';

interface DetailPlaceholderProps extends Pick<ComponentProps<typeof EmptyState>, 'icon' | 'children'> {
  /** Undefined until the object is loaded; null if there is none, for the reason in `children`. */
  object: null | undefined;
  error: unknown;
  /** Type of the object, such as `Conversation`. */
  type: string;
  heightPx: number;
}

/** Content of a detail page without its object: it is loading, its request has failed, or there is none. */
export function DetailPlaceholder({ object, error, type, heightPx, ...empty }: DetailPlaceholderProps) {
  return (
    <>
      <ErrorAlert error={error} />
      {object === undefined && !error && (
        <Skeleton h={heightPx} aria-label={`Loading the ${type.toLowerCase()}`} />
      )}
      {object === null && <EmptyState {...empty} title={`${type} not found`} />}
    </>
  );
}

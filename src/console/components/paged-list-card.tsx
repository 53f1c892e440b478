import { Card, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PagedList } from '../api/use-paged-list.ts';
import { ErrorAlert } from './error-alert.tsx';
import { ShowMore } from './show-more.tsx';

interface PagedListCardProps {
  title: string;
  list: Pick<PagedList<unknown>, 'error' | 'showMore' | 'loadingMore'>;
  /** Table of the rows. */
  children: ReactNode;
}

/** Card with the table of a paged list. */
export const PagedListCard = ({ title, list, children }: PagedListCardProps) => (
  <Card withBorder p={0}>
    <Title order={2} size="h4" p="md">
      {title}
    </Title>
    <ErrorAlert error={list.error} />
    {children}
    <Stack p={list.showMore && 'md'}>
      <ShowMore {...list} />
    </Stack>
  </Card>
);

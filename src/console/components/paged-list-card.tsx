import { Card, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PagedList } from '../api/use-paged-list.ts';
import { ErrorAlert } from './error-alert.tsx';
import { PagedRows } from './paged-rows.tsx';

interface PagedListCardProps {
  title: string;
  list: PagedList<unknown>;
  children: ReactNode;
}

/** Card with a title and the table of a paged list. */
export const PagedListCard = ({ title, list, children }: PagedListCardProps) => (
  <PagedRows label={title.toLowerCase()} list={list}>
    <Card withBorder p={0}>
      <Title order={2} size="h4" p="md">
        {title}
      </Title>
      <ErrorAlert error={list.error} />
      {children}
    </Card>
  </PagedRows>
);

import { Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';

interface EmptyStateProps {
  icon: ComponentType<{ 'aria-hidden'?: boolean }>;
  title: string;
  /** The next step for the user. */
  children: ReactNode;
}

/** Placeholder for a list or page without content: states the reason and the next step. */
export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <Stack align="center" py={48} px="md" gap="xs">
      <ThemeIcon size={48} radius="xl" variant="light" color="gray">
        <Icon aria-hidden />
      </ThemeIcon>
      <Title order={3} size="h4" ta="center">
        {title}
      </Title>
      <Text c="dimmed" ta="center" maw={440} component="div">
        {children}
      </Text>
    </Stack>
  );
}

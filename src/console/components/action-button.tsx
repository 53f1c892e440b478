import { Button } from '@mantine/core';
import type { ComponentType } from 'react';
import type { Action } from '../api/use-service-mutation.ts';

interface ActionButtonProps {
  action: Action;
  label: string;
  icon: ComponentType<{ size: number; 'aria-hidden': boolean }>;
  variant?: 'default';
}

/** Button that executes a mutation and shows that it is executing. */
export const ActionButton = ({ action, label, icon: Icon, variant }: ActionButtonProps) => (
  <Button
    variant={variant}
    leftSection={<Icon size={16} aria-hidden />}
    loading={action.isPending}
    onClick={() => action.mutate()}
  >
    {label}
  </Button>
);

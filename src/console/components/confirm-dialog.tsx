import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Action } from '../api/use-service-mutation.ts';
import { Dialog } from './dialog.tsx';
import { ErrorAlert } from './error-alert.tsx';

interface ConfirmDialogProps {
  /** The action as a question. */
  title: string;
  /** Consequences of the action. */
  children: ReactNode;
  /** Label of the confirming button. */
  action: string;
  /** Runs on confirmation; the dialog closes when it succeeds, and shows its error. */
  mutation: Action;
  /** Renders the button that opens the dialog. */
  trigger: (open: () => void) => ReactNode;
}

/** Asks for confirmation before a destructive or irreversible action. */
export function ConfirmDialog({ title, children, action, mutation, trigger }: ConfirmDialogProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      {trigger(() => {
        mutation.reset();
        open();
      })}
      <Dialog opened={opened} onClose={close} title={title}>
        <Stack>
          <Text component="div" size="sm">
            {children}
          </Text>
          <ErrorAlert error={mutation.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            {/* White text on a lighter red has too little contrast. */}
            <Button
              color="red.9"
              loading={mutation.isPending}
              onClick={() => mutation.mutate(undefined, { onSuccess: close })}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}

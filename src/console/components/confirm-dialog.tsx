import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { ErrorAlert } from './error-alert.tsx';

interface ConfirmDialogProps {
  /** The action as a question. */
  title: string;
  /** Consequences of the action. */
  children: ReactNode;
  /** Label of the confirming button. */
  action: string;
  run: () => Promise<unknown>;
  /** Renders the button that opens the dialog. */
  trigger: (open: () => void) => ReactNode;
}

/** Asks for confirmation before a destructive or irreversible action. */
export function ConfirmDialog({ title, children, action, run, trigger }: ConfirmDialogProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const mutation = useMutation({ mutationFn: run, onSuccess: close });
  return (
    <>
      {trigger(() => {
        mutation.reset();
        open();
      })}
      <Dialog opened={opened} onClose={close} title={title}>
        <Stack>
          <div>{children}</div>
          <ErrorAlert error={mutation.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            {/* White text on a lighter red has too little contrast. */}
            <Button color="red.9" loading={mutation.isPending} onClick={() => mutation.mutate()}>
              {action}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}

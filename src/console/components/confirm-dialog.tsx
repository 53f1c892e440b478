import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNote } from './error-alert.tsx';

interface ConfirmProps {
  /** What is about to happen, as a question. */
  title: string;
  /** What it means. */
  children: ReactNode;
  /** Words on the button that does it. */
  action: string;
  /** Colour of that button; else a red that white can be read on. */
  color?: string;
  run: () => Promise<unknown>;
  /** The button that asks; gets the function that opens the dialog. */
  trigger: (open: () => void) => ReactNode;
}

/** Asks before something is done that cannot be taken back. */
export function Confirm({ title, children, action, color = 'red.9', run, trigger }: ConfirmProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const mutation = useMutation({ mutationFn: run, onSuccess: close });
  return (
    <>
      {trigger(() => {
        mutation.reset();
        open();
      })}
      <Modal opened={opened} onClose={close} title={title} centered>
        <Stack>
          <div>{children}</div>
          <ErrorNote error={mutation.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color={color} loading={mutation.isPending} onClick={() => mutation.mutate()}>
              {action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

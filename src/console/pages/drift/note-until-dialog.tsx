import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { messagesByPath } from '../../api/error-messages.ts';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';

/** A note, and the end of what it explains. */
export interface NoteUntil {
  note: string;
  /** ISO 8601; null without an end. */
  until: string | null;
}

interface NoteUntilDialogProps {
  title: string;
  /** Consequences of the action. */
  children: ReactNode;
  /** Label of the submitting button. */
  action: string;
  noteRequired?: boolean;
  /** What holds without an end. */
  untilDescription: string;
  initial?: NoteUntil;
  mutation: {
    mutate: (values: NoteUntil, options: { onSuccess: () => void }) => void;
    isPending: boolean;
    error: unknown;
  };
  close: () => void;
}

/** Asks for a note and an end; closes when the mutation succeeds, and shows its error. */
export function NoteUntilDialog({
  title,
  children,
  action,
  noteRequired = false,
  untilDescription,
  initial = { note: '', until: null },
  mutation,
  close,
}: NoteUntilDialogProps) {
  const [note, setNote] = useState(initial.note);
  const [until, setUntil] = useState(initial.until);
  const messages = messagesByPath(mutation.error);
  const hasFieldError = 'note' in messages || 'until' in messages;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutation.mutate({ note: note.trim(), until }, { onSuccess: close });
  };
  return (
    <Dialog opened onClose={close} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{children}</Text>
          <Textarea
            label="Note"
            autosize
            minRows={2}
            maxRows={8}
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
            error={messages.note}
            required={noteRequired}
          />
          <DateTimeInput
            label="Until"
            description={untilDescription}
            value={until}
            onChange={setUntil}
            error={messages.until}
          />
          <ErrorAlert error={hasFieldError ? null : mutation.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={mutation.isPending} disabled={noteRequired && note.trim() === ''}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

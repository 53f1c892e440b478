import { Autocomplete, Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { MAX_TEXT } from '../../../shared/text-limits.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session/session.tsx';
import { type ConversationDetail, isOpen } from './use-conversation.ts';

const CLOSE = graphql(`
  mutation CloseConversation($id: ID!) {
    closeConversation(conversationId: $id) {
      id
    }
  }
`);

/** Actions of an operator on a conversation. */
export function ConversationActions({ id, status, outcome }: ConversationDetail) {
  const { call, customerId } = useSession();
  const [outcomeOpened, { open, close }] = useDisclosure(false);
  const closeConversation = useServiceMutation(() => call(CLOSE, { id }), {
    invalidates: [queryKeys.conversation(customerId, id), queryKeys.conversations(customerId)],
  });
  return (
    <>
      <Button variant="default" onClick={open}>
        {outcome ? 'Change outcome' : 'Mark outcome'}
      </Button>
      {outcomeOpened && <OutcomeDialog id={id} category={outcome?.category ?? null} close={close} />}
      {status !== 'closed' && (
        <ConfirmDialog
          title="Close this conversation?"
          action="Close"
          mutation={closeConversation}
          trigger={(openDialog) => <Button onClick={openDialog}>Close conversation</Button>}
        >
          {isOpen(status) ? 'No more messages can be added.' : `The status changes from ${status} to closed.`}{' '}
          This emits a <code>conversation.ended</code> event and cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
}

const MARK_OUTCOME = graphql(`
  mutation MarkOutcome($id: ID!, $category: String) {
    markOutcome(conversationId: $id, category: $category) {
      id
    }
  }
`);

const RECENT_OUTCOMES = graphql(`
  query RecentOutcomes {
    conversations(first: 100) {
      edges {
        node {
          outcome {
            category
          }
        }
      }
    }
  }
`);

interface OutcomeDialogProps {
  id: string;
  /** The current category; null if the outcome is not marked. */
  category: string | null;
  close: () => void;
}

/** Marks or clears the outcome of a conversation; suggests the categories of recent conversations. */
function OutcomeDialog({ id, category, close }: OutcomeDialogProps) {
  const { call, customerId } = useSession();
  const [input, setInput] = useState(category ?? '');
  const recent = useQuery({
    queryKey: queryKeys.recentOutcomes(customerId),
    queryFn: () => call(RECENT_OUTCOMES),
  });
  const mark = useServiceMutation((next: string | null) => call(MARK_OUTCOME, { id, category: next }), {
    invalidates: [queryKeys.conversation(customerId, id), queryKeys.conversations(customerId)],
  });
  const suggestions = (recent.data?.conversations.edges ?? []).flatMap(
    ({ node }) => node.outcome?.category ?? [],
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mark.mutate(input.trim(), { onSuccess: close });
  };
  return (
    <Dialog opened onClose={close} title="Mark outcome">
      <form onSubmit={submit}>
        <Stack>
          <Autocomplete
            label="Category"
            description="A category of your outcome ladder. Saving emits an outcome.marked event."
            data={[...new Set(suggestions)].sort()}
            value={input}
            onChange={setInput}
            // Until the user types, shows all suggestions instead of those that match the current category.
            {...(input === (category ?? '') ? { filter: ({ options }) => options } : {})}
            maxLength={MAX_TEXT}
            // The input has focus when the dialog opens, and an open list would cover the buttons.
            openOnFocus={false}
            data-autofocus
          />
          <ErrorAlert error={mark.error} />
          <Group justify="space-between">
            <Button
              variant="subtle"
              color="red"
              disabled={category === null}
              onClick={() => mark.mutate(null, { onSuccess: close })}
            >
              Clear outcome
            </Button>
            <Group gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={mark.isPending} disabled={input.trim() === ''}>
                Save
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { OutcomeDialog } from './outcome-dialog.tsx';
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

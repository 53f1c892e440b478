import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Confirm } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { OutcomeDialog } from './outcome-dialog.tsx';
import { type ConversationDetail, goesOn } from './use-conversation.ts';

const CLOSE = graphql(`
  mutation CloseConversation($id: ID!) {
    closeConversation(conversationId: $id) {
      id
    }
  }
`);

/** What an operator does with a conversation. */
export function ConversationActions({ id, status, outcome }: ConversationDetail) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [marking, { open, close }] = useDisclosure(false);
  const closeConversation = async (): Promise<void> => {
    await call(CLOSE, { id });
    await queries.invalidateQueries({ queryKey: ['conversation', customerId, id] });
    void queries.invalidateQueries({ queryKey: ['conversations', customerId] });
  };
  return (
    <>
      <Button variant="default" onClick={open}>
        {outcome ? 'Change outcome' : 'Mark outcome'}
      </Button>
      {marking && <OutcomeDialog id={id} category={outcome?.category ?? null} close={close} />}
      {status !== 'closed' && (
        <Confirm
          title="Close this conversation?"
          action="Close it"
          run={closeConversation}
          trigger={(ask) => <Button onClick={ask}>Close conversation</Button>}
        >
          {goesOn(status)
            ? 'Nothing more can be said in it.'
            : `It is ${status} already, and becomes closed.`}{' '}
          Endpoints are told as <code>conversation.ended</code>. It cannot be opened again.
        </Confirm>
      )}
    </>
  );
}

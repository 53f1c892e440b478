import { useState } from 'react';
import { useLocation } from 'wouter';
import { toReadableError } from '../../../api/error-messages.ts';
import { SearchInput } from '../../../components/search-input.tsx';
import { formatAlternatives } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import type { DeliveryFilter } from './delivery-queries.ts';

/** Returns true for text that can be the ID of a delivery, an event or a conversation. */
export const isId = (text: string): boolean => /^[0-9a-f]{24}$/i.test(text);

const SEARCHED_DELIVERY = graphql(`
  query SearchedDelivery($id: ID!) {
    webhookDelivery(id: $id) {
      id
    }
  }
`);

const SEARCHED_EVENT = graphql(`
  query SearchedEvent($id: ID!) {
    webhookEvent(id: $id) {
      id
    }
  }
`);

const SEARCHED_CONVERSATION = graphql(`
  query SearchedConversation($id: ID!) {
    conversation(id: $id) {
      id
    }
  }
`);

/** The other ID in the response to a conversion is the `conversionEventId` of its payload. */
const CONVERSION_HINT = ' For a conversion, enter the event_id of its response.';

interface IdSearchProps {
  filter: DeliveryFilter;
  setFilter: (change: Partial<DeliveryFilter>) => void;
}

/** Finds what an ID belongs to: opens a delivery, or shows the deliveries of an event or a conversation. */
export function IdSearch({ filter: { eventId, conversationId }, setFilter }: IdSearchProps) {
  const { call, canRead } = useSession();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<string | null>(null);
  const readsEvents = canRead('events');
  const readsConversations = canRead('conversations');
  const readable = [
    'delivery',
    ...(readsEvents ? ['event'] : []),
    ...(readsConversations ? ['conversation'] : []),
  ];

  /** Looks the ID up where the key may read: a query for all of them would be refused. */
  const find = (id: string) =>
    Promise.all([
      call(SEARCHED_DELIVERY, { id }).then(({ webhookDelivery }) => webhookDelivery),
      readsEvents && call(SEARCHED_EVENT, { id }).then(({ webhookEvent }) => webhookEvent),
      readsConversations && call(SEARCHED_CONVERSATION, { id }).then(({ conversation }) => conversation),
    ]);

  async function search(text: string): Promise<void> {
    const id = text.trim().toLowerCase();
    setProblem(null);
    if (id === '') return setFilter({ eventId: null, conversationId: null });
    if (!isId(id)) return setProblem('Enter a complete ID: 24 hexadecimal digits.');
    try {
      const [delivery, event, conversation] = await find(id);
      if (delivery) navigate(`/deliveries/${id}`);
      else if (event) setFilter({ eventId: id, conversationId: null });
      else if (conversation) setFilter({ eventId: null, conversationId: id });
      else setProblem(`No ${formatAlternatives(readable)} has this ID.${readsEvents ? CONVERSION_HINT : ''}`);
    } catch (error) {
      setProblem(toReadableError(error).message);
    }
  }

  return (
    <SearchInput
      label="ID"
      description={conversationId ? 'Deliveries of a conversation.' : `Of a ${formatAlternatives(readable)}.`}
      error={problem}
      value={eventId ?? conversationId ?? ''}
      onSearch={(text) => void search(text)}
    />
  );
}

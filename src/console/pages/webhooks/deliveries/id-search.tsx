import { useState } from 'react';
import { useLocation } from 'wouter';
import { toReadableError } from '../../../api/error-messages.ts';
import { SearchInput } from '../../../components/search-input.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import type { DeliveryFilter } from './delivery-queries.ts';

/** Returns true for text that can be the ID of a delivery, an event or a conversation. */
export const isId = (text: string): boolean => /^[0-9a-f]{24}$/i.test(text);

const SEARCHED_ID = graphql(`
  query SearchedId($id: ID!) {
    webhookDelivery(id: $id) {
      id
    }
    webhookEvent(id: $id) {
      id
    }
    conversation(id: $id) {
      id
    }
  }
`);

interface IdSearchProps {
  filter: DeliveryFilter;
  setFilter: (change: Partial<DeliveryFilter>) => void;
}

/** Finds what an ID belongs to: opens a delivery, or shows the deliveries of an event or a conversation. */
export function IdSearch({ filter: { eventId, conversationId }, setFilter }: IdSearchProps) {
  const { call } = useSession();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<string | null>(null);

  async function search(text: string): Promise<void> {
    const id = text.trim().toLowerCase();
    setProblem(null);
    if (id === '') return setFilter({ eventId: null, conversationId: null, text: null });
    if (!isId(id)) return setProblem('Enter a complete ID: 24 hexadecimal digits.');
    try {
      const { webhookDelivery, webhookEvent, conversation } = await call(SEARCHED_ID, { id });
      if (webhookDelivery) navigate(`/deliveries/${id}`);
      else if (webhookEvent) setFilter({ eventId: id, conversationId: null });
      else if (conversation) setFilter({ eventId: null, conversationId: id });
      else setProblem('No delivery, event or conversation has this ID.');
    } catch (error) {
      setProblem(toReadableError(error).message);
    }
  }

  return (
    <SearchInput
      label="ID"
      description={
        conversationId ? 'Deliveries of a conversation.' : 'Of a delivery, an event or a conversation.'
      }
      error={problem}
      value={eventId ?? conversationId ?? ''}
      onSearch={(text) => void search(text)}
    />
  );
}

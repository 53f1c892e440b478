import type { Models } from '../../database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Committer } from '../../platform/mongo/committer.ts';
import type { ConversationStore } from '../conversations/conversations.store.ts';
import type { OutgoingEvent } from '../webhooks/outbox.ts';
import { eventService } from './events.service.ts';
import { eventStore } from './events.store.ts';

interface Deps {
  models: Models;
  conversations: ConversationStore;
  committer: Committer<OutgoingEvent>;
  clock: Clock;
}

/** Events that customers send in. */
export function createEvents({ models, conversations, committer, clock }: Deps) {
  return {
    services: { events: eventService({ events: eventStore(models), conversations, committer, clock }) },
  };
}

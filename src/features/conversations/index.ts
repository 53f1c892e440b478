import type { Models } from '../../database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Committer } from '../../platform/mongo/committer.ts';
import type { OutgoingEvent } from '../webhooks/outbox.ts';
import { conversationService } from './conversations.service.ts';
import { conversationStore } from './conversations.store.ts';
import { importService } from './import/import.service.ts';
import { importStore } from './import/import.store.ts';
import { importLeaseStore } from './import/import-lease.store.ts';
import { moveService } from './moves.service.ts';

/** Conversations and their moves. */
export function createConversations({
  models,
  committer,
  clock,
}: {
  models: Models;
  committer: Committer<OutgoingEvent>;
  clock: Clock;
}) {
  const conversations = conversationStore(models);
  return {
    store: conversations,
    services: {
      conversations: conversationService({ conversations }),
      moves: moveService({ conversations, committer, clock }),
      imports: importService({
        conversations,
        imports: importStore(models),
        leases: importLeaseStore(models, clock),
        committer,
        clock,
      }),
    },
  };
}

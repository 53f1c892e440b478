import type { Models } from '../../database/models.ts';
import type { TenantLimit } from '../../limits/tenant-limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { tenantLeaseStore } from '../../platform/leases/tenant-lease.store.ts';
import type { CommitOrder } from '../outbox/commit-order.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { ConversationData } from '../privacy/erasure-step.ts';
import type { FieldEncryption } from '../privacy/field-encryption.ts';
import type { Suppressions } from '../privacy/suppression.service.ts';
import { conversationErasure } from './conversation-erasure.store.ts';
import { conversationExport } from './conversation-export.store.ts';
import { conversationRetention } from './conversation-retention.store.ts';
import { conversationService } from './conversations.service.ts';
import { conversationStore } from './conversations.store.ts';
import { createConversions } from './conversions.ts';
import { importService } from './import/import.service.ts';
import { importStore } from './import/import.store.ts';
import { moveService } from './moves.service.ts';

interface Deps {
  models: Models;
  outbox: Outbox;
  order: CommitOrder;
  /** Limits the conversations of each tenant; null for no limit. */
  limit: TenantLimit | null;
  suppressions: Suppressions;
  encryption: FieldEncryption;
  /** What other features store about conversations. */
  dependants: readonly ConversationData[];
  clock: Clock;
}

/** Conversations, their moves and their import. */
export function createConversations(deps: Deps) {
  const { models, outbox, order, limit, suppressions, encryption, dependants, clock } = deps;
  const conversations = conversationStore(models, encryption);
  const conversions = createConversions(conversations);
  const imports = importStore(models, encryption);
  const leases = tenantLeaseStore(models.ConversationImportLease, clock);
  const erasure = conversationErasure(models, {
    ...{ dependants, encryption },
    imports: { ...imports, isRunning: leases.isHeld },
  });
  const exported = conversationExport(models, encryption);
  return {
    conversions,
    erasure,
    /** Finds the conversations of an export. */
    scoped: exported,
    personalData: erasure.personalData,
    exportSources: exported.sources,
    retentionSteps: [conversationRetention({ models, ...erasure })],
    count: conversations.count,
    stored: conversations.stored,
    decrypt: conversations.decrypt,
    services: {
      conversations: conversationService({ conversations, exported, order }),
      moves: moveService({
        ...{ conversations, conversions, outbox, limit, suppressions, clock },
        suppressContents: erasure.suppressContents,
      }),
      imports: importService({
        conversations,
        conversions,
        imports,
        leases,
        outbox,
        suppressions,
        clock,
      }),
    },
  };
}

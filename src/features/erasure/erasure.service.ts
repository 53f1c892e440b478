import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import type { Runner } from '../../platform/leases/queue-runner.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import { isObjectIdText, newObjectId } from '../../platform/mongo/object-id.ts';
import {
  ERASURE_KINDS,
  type ErasureCounts,
  type ErasureKind,
  type TenantRef,
} from '../privacy/erasure-step.ts';
import { type PersonName, personNamed } from '../privacy/person.ts';
import type { PrivacyKeyStore } from '../privacy/privacy-keys.store.ts';
import type { DeliveryPolicy, ErasureStatus } from './erasure.types.ts';
import { personOwner } from './erasure-work.ts';
import type { ErasureDoc } from './erasures.model.ts';
import type { ErasureStore } from './erasures.store.ts';

/** How long a start waits for the end, so that the answer for a small tenant has the counts. Milliseconds. */
const START_WAIT_MS = 3_000;
const POLL_INTERVAL_MS = 50;

/** What names the person, and how to erase. */
export interface ErasureInput extends PersonName {
  /** True to count only. */
  dryRun?: boolean | null;
  /** True to suppress the person's identifiers from now on; by default. */
  suppress?: boolean | null;
  deliveries?: DeliveryPolicy | null;
}

export interface ErasureCount {
  kind: ErasureKind;
  count: number;
}

/** An erasure, as clients see it: the progress of the job, and its receipt. */
export interface Erasure {
  id: string;
  status: ErasureStatus;
  dryRun: boolean;
  suppress: boolean;
  deliveries: DeliveryPolicy;
  /** Every kind, 0 included. */
  counts: ErasureCount[];
  createdBy: string | null;
  startedAt: Date;
  finishedAt: Date | null;
  error: string | null;
}

const toErasure = (doc: ErasureDoc): Erasure => ({
  id: doc._id.toHexString(),
  status: doc.status,
  dryRun: doc.dryRun,
  suppress: doc.suppress,
  deliveries: doc.deliveries,
  counts: toCounts(doc.counts),
  createdBy: doc.createdBy,
  startedAt: doc.startedAt,
  finishedAt: doc.finishedAt,
  error: doc.error,
});

const toCounts = (counts: ErasureCounts): ErasureCount[] =>
  ERASURE_KINDS.map((kind) => ({ kind, count: counts[kind] ?? 0 }));

/** Removes one object with everything that belongs to it; returns null if the tenant does not have it. */
type RemoveOne = (tenant: TenantRef, id: string) => Promise<ErasureCounts | null>;

interface Deps {
  erasures: ErasureStore;
  keys: PrivacyKeyStore;
  /** Null if this process runs no erasures. */
  runner: Pick<Runner, 'claim'> | null;
  /** Makes the job due now, for a worker of any process. */
  requestRun: () => Promise<void>;
  removeConversation: RemoveOne;
  removeMeeting: RemoveOne;
  clock: Clock;
}

/** Erases people, conversations and meetings. */
export function erasureService(deps: Deps) {
  const { erasures, keys, runner, requestRun, removeConversation, removeMeeting, clock } = deps;

  async function untilEnded(tenant: TenantRef, erasure: ErasureDoc): Promise<ErasureDoc> {
    const deadline = performance.now() + START_WAIT_MS;
    let current = erasure;
    while (current.status === 'running' && performance.now() < deadline) {
      await sleep(POLL_INTERVAL_MS);
      current = (await erasures.find(tenant, erasure._id.toHexString())) ?? current;
    }
    return current;
  }

  return {
    /**
     * Starts to erase a person, and waits a few seconds for the end. Returns the running erasure if the same identifiers
     * are being erased.
     */
    async start(tenant: TenantRef, input: ErasureInput, createdBy: string | null): Promise<Erasure> {
      const { dryRun, suppress, deliveries } = input;
      const key = await keys.findOrCreate(tenant);
      const startedAt = clock.now();
      const _id = newObjectId(startedAt);
      const identifiers = JSON.stringify(personNamed(input));
      const stored = await erasures.insert({
        _id,
        customerId: tenant.customerId,
        status: 'running',
        dryRun: dryRun ?? false,
        suppress: suppress ?? true,
        deliveries: deliveries ?? 'cancel',
        counts: {},
        createdBy,
        startedAt,
        finishedAt: null,
        error: null,
        subject: key.hash(identifiers, 'erasure'),
        person: key.encrypt(identifiers, personOwner({ _id })),
        isResolved: false,
        lease: { expiresAt: startedAt },
        claims: 0,
      });
      if (runner) await runner.claim(stored._id);
      else await requestRun();
      return toErasure(await untilEnded(tenant, stored));
    },

    /** @throws AppError `NOT_FOUND` */
    async get(tenant: TenantRef, id: string): Promise<Erasure> {
      const found = await erasures.find(tenant, id);
      if (!found) throw new AppError('NOT_FOUND', 'The erasure does not exist.');
      return toErasure(found);
    },

    /** Returns erasures, newest first. */
    list: (tenant: TenantRef, page: PageRequest): Promise<Page<Erasure>> =>
      readPage(page, {
        cursor: cursorCodec(['erasures', tenant.customerId], isObjectIdText),
        read: (before, limit) => erasures.list(tenant, { before, limit }),
        positionOf: ({ _id }) => _id.toHexString(),
        toNode: toErasure,
      }),

    /** Deletes a conversation with its messages, records, events and deliveries. @throws AppError `NOT_FOUND` */
    async deleteConversation(tenant: TenantRef, id: string): Promise<ErasureCount[]> {
      const counts = isObjectIdText(id) ? await removeConversation(tenant, id) : null;
      if (!counts) throw new AppError('NOT_FOUND', 'The conversation does not exist.');
      return toCounts(counts);
    },

    /** Deletes a meeting with its transcript, record, activity and search postings. @throws AppError `NOT_FOUND` */
    async deleteMeeting(tenant: TenantRef, recorderMeetingId: string): Promise<ErasureCount[]> {
      const counts = await removeMeeting(tenant, recorderMeetingId);
      if (!counts) throw new AppError('NOT_FOUND', 'The meeting does not exist.');
      return toCounts(counts);
    },
  };
}

export type ErasureService = ReturnType<typeof erasureService>;

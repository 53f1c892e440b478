import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import type { Logger } from '../../platform/logger.ts';
import { isObjectIdText } from '../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import {
  addCounts,
  type Counts,
  ERASURE_KINDS,
  type ErasureCounts,
  type ErasureKind,
  type RemoveTraces,
} from '../privacy/erasure-step.ts';
import { type PersonName, personNamed } from '../privacy/person.ts';
import type { PrivacyKey, PrivacyKeyStore } from '../privacy/privacy-keys.store.ts';
import { type SuppressionService, stillWritten } from '../privacy/suppression.service.ts';
import type { DeliveryPolicy, ErasureStatus } from './erasure.types.ts';
import { type ErasureJobs, newJob } from './erasure-jobs.ts';
import { personOwner } from './erasure-work.ts';
import type { ErasureDoc } from './erasures.model.ts';
import type { ErasureStore } from './erasures.store.ts';

/** How long a start waits for the end, so that the answer for a small tenant has the counts. Milliseconds. */
const START_WAIT_MS = 3_000;
/** Erasures of a tenant that run, or wait for others, at a time. */
const MAX_RUNNING = 10_000;

/** Options of an erasure. */
interface ErasurePolicy {
  /** True to count only. */
  dryRun?: boolean | null;
  /** True to suppress the person's identifiers from now on; by default. */
  suppress?: boolean | null;
  deliveries?: DeliveryPolicy | null;
}

/** The person's identifiers, and the options. */
export interface ErasureInput extends PersonName, ErasurePolicy {}

/** The identifiers of people, and the options. */
export interface ErasePeopleInput extends ErasurePolicy {
  people: readonly PersonName[];
}

interface NewErasure {
  names: PersonName;
  policy: ErasurePolicy;
  /** Id of the API key; null for the command line. */
  createdBy: string | null;
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

const toCounts = (counts: Counts): ErasureCount[] =>
  ERASURE_KINDS.map((kind) => ({ kind, count: counts[kind] ?? 0 }));

/** Options of the deletion of a meeting. */
interface MeetingDeletionInput {
  /** The provider's id. */
  id: string;
  /** True to store nothing of the meeting from now on; by default. */
  suppress?: boolean | null;
}

/** What was deleted with an object. */
export interface Deletion {
  id: string;
  counts: ErasureCount[];
  /** Entry of the suppression list for a meeting; null for none. */
  suppressionId: string | null;
}

/** Removes one object with everything that belongs to it; returns null if the tenant does not have it. */
type RemoveOne = (tenant: TenantRef, id: string) => Promise<ErasureCounts | null>;

export interface ErasureServiceDeps {
  erasures: ErasureStore;
  keys: PrivacyKeyStore;
  jobs: ErasureJobs;
  suppressions: Pick<SuppressionService, 'addMeeting' | 'awaitWrites'>;
  conversations: { removeOne: RemoveOne };
  /** Remove what a conversation has left elsewhere. */
  conversationTraces: readonly RemoveTraces[];
  meetings: {
    exists(tenant: TenantRef, recorderMeetingId: string): Promise<boolean>;
    /** Keeps a meeting from searches and the indexer. */
    hide(tenant: TenantRef, recorderMeetingId: string): Promise<void>;
    removeOne: RemoveOne;
  };
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

/** Erases people, conversations and meetings. */
export function erasureService(deps: ErasureServiceDeps) {
  const { erasures, keys, jobs, suppressions, conversations, conversationTraces, meetings, clock, log } =
    deps;

  /** @throws AppError `NOT_FOUND` */
  async function storedJob(tenant: TenantRef, id: string): Promise<ErasureDoc> {
    const found = await erasures.find(tenant, id);
    if (!found) throw new AppError('NOT_FOUND', 'The erasure does not exist.');
    return found;
  }

  /** Waits until work that began earlier has stored its data. @throws AppError `SERVICE_UNAVAILABLE` after 20 seconds */
  async function awaitWrites(tenant: TenantRef, next: string): Promise<void> {
    if (await suppressions.awaitWrites(tenant)) return;
    log.warn({ customerId: tenant.customerId }, 'a deletion was not completed, because earlier writes go on');
    throw stillWritten(next);
  }

  /** Returns the job that erases a person. */
  function personJob(
    { customerId }: TenantRef,
    key: PrivacyKey,
    { names, policy, createdBy }: NewErasure,
  ): ErasureDoc {
    const job = newJob({ customerId, createdBy, startedAt: clock.now(), policy });
    const identifiers = JSON.stringify(personNamed(names));
    return {
      ...job,
      suppress: policy.suppress ?? true,
      subject: key.hash(identifiers, 'erasure'),
      person: key.encrypt(identifiers, personOwner(job)),
      isResolved: false,
    };
  }

  return {
    /**
     * Starts to erase a person, and waits a few seconds for the end. Returns the running erasure if the same identifiers
     * are being erased.
     */
    async start(tenant: TenantRef, input: ErasureInput, createdBy: string | null): Promise<Erasure> {
      const key = await keys.findOrCreate(tenant);
      const [stored] = await jobs.start([personJob(tenant, key, { names: input, policy: input, createdBy })]);
      return toErasure(await jobs.untilEnded(stored, START_WAIT_MS));
    },

    /**
     * Starts to erase people, each by a job of its own: a receipt is about one person, and one that fails stops no other.
     * Returns the ids of the erasures in the order of the people; those of the same identifiers are one.
     *
     * @throws AppError `CONFLICT` beyond the erasures of a tenant that run at a time
     */
    async startMany(
      tenant: TenantRef,
      { people, ...policy }: ErasePeopleInput,
      createdBy: string | null,
    ): Promise<{ erasureIds: string[] }> {
      const key = await keys.findOrCreate(tenant);
      const wanted = people.map((names) => personJob(tenant, key, { names, policy, createdBy }));
      const bySubject = new Map(wanted.map((job) => [job.subject, job]));
      if ((await erasures.countRunning(tenant)) + bySubject.size > MAX_RUNNING)
        throw new AppError(
          'CONFLICT',
          `At most ${MAX_RUNNING.toLocaleString('en')} erasures of a customer run at a time; retry when some have ended.`,
        );
      const started = await jobs.start([...bySubject.values()]);
      const ids = new Map([...bySubject.keys()].map((subject, index) => [subject, started[index]?._id]));
      return { erasureIds: wanted.map(({ subject }) => String(ids.get(subject))) };
    },

    /** Waits for the end of an erasure, for a command. @throws AppError `NOT_FOUND` */
    complete: async (tenant: TenantRef, id: string): Promise<Erasure> =>
      toErasure(await jobs.complete(await storedJob(tenant, id))),

    /** @throws AppError `NOT_FOUND` */
    get: async (tenant: TenantRef, id: string): Promise<Erasure> => toErasure(await storedJob(tenant, id)),

    /** Returns erasures, newest first. */
    list: (tenant: TenantRef, page: PageRequest): Promise<Page<Erasure>> =>
      readPage(page, {
        cursor: cursorCodec(['erasures', tenant.customerId], isObjectIdText),
        read: (before, limit) => erasures.list(tenant, { before, limit }),
        positionOf: ({ _id }) => _id.toHexString(),
        toNode: toErasure,
      }),

    /**
     * Deletes a conversation with its messages, records, events and deliveries, and the answers that name it. Requests that
     * were in progress have ended before the search for what they have left, except those with an `Idempotency-Key` that make
     * several changes.
     *
     * @throws AppError `NOT_FOUND`; `SERVICE_UNAVAILABLE` if such requests do not end within 20 seconds: the conversation is
     *   deleted, and a repetition removes the rest
     */
    async deleteConversation(tenant: TenantRef, id: string): Promise<Deletion> {
      const missing = () => new AppError('NOT_FOUND', 'The conversation does not exist.');
      if (!isObjectIdText(id)) throw missing();
      const counts = await conversations.removeOne(tenant, id);
      await awaitWrites(tenant, 'Repeat the request to delete the rest of the conversation.');
      const traces = addCounts(
        ...(await Promise.all(conversationTraces.map((remove) => remove(tenant, id)))),
      );
      // The rest of an earlier deletion that failed counts as well.
      if (!counts && !Object.values(traces).some((count) => count > 0)) throw missing();
      return { id, counts: toCounts(addCounts(counts ?? {}, traces)), suppressionId: null };
    },

    /**
     * Deletes a meeting with its transcript, record, activity and search postings. Unless it is only deleted, it is
     * suppressed before, so that no sync in progress stores it again.
     *
     * @throws AppError `NOT_FOUND`; as `SuppressionService.addMeeting` does; `SERVICE_UNAVAILABLE` if the indexer does not
     *   end within 20 seconds
     */
    async deleteMeeting(
      tenant: TenantRef,
      { id, suppress }: MeetingDeletionInput,
      createdBy: string | null,
    ): Promise<Deletion> {
      const missing = () => new AppError('NOT_FOUND', 'The meeting does not exist.');
      if (!(await meetings.exists(tenant, id))) throw missing();
      const suppressionId = (suppress ?? true) ? await suppressions.addMeeting(tenant, id, createdBy) : null;
      // The indexer passes over it from now on, and has no words of it left to store once its batch has ended.
      await meetings.hide(tenant, id);
      await awaitWrites(tenant, 'Repeat the request to delete the meeting.');
      const counts = await meetings.removeOne(tenant, id);
      // Removed by another request meanwhile: an entry that was added is the outcome of this one.
      if (!counts && suppressionId === null) throw missing();
      return { id, counts: toCounts(counts ?? {}), suppressionId };
    },
  };
}

export type ErasureService = ReturnType<typeof erasureService>;

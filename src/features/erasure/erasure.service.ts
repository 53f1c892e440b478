import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec } from '../../platform/cursor.ts';
import { createKeyedSerial } from '../../platform/keyed-serial.ts';
import { type Page, type PageRequest, readPage } from '../../platform/list-page.ts';
import { isObjectIdText } from '../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { type PersonName, personNamed } from '../privacy/person.ts';
import type { PrivacyKey, PrivacyKeyStore } from '../privacy/privacy-keys.store.ts';
import {
  type DeliveryPolicy,
  type ErasureCount,
  type ErasureStatus,
  MAX_RUNNING_ERASURES,
  toCounts,
} from './erasure.types.ts';
import { type ErasureJobs, newJob } from './erasure-jobs.ts';
import { personOwner } from './erasure-work.ts';
import type { ErasureDoc } from './erasures.model.ts';
import type { ErasureStore } from './erasures.store.ts';

/** How long a start waits for the end, so that the answer for a small tenant has the counts. Milliseconds. */
const START_WAIT_MS = 3_000;

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

interface Deps {
  erasures: ErasureStore;
  privacyKeys: PrivacyKeyStore;
  jobs: ErasureJobs;
  clock: Clock;
}

/** Erases people, by jobs. */
export function erasureService({ erasures, privacyKeys, jobs, clock }: Deps) {
  const inTurn = createKeyedSerial();

  /** @throws AppError `NOT_FOUND` */
  async function storedJob(tenant: TenantRef, id: string): Promise<ErasureDoc> {
    const found = await erasures.find(tenant, id);
    if (!found) throw new AppError('NOT_FOUND', 'The erasure does not exist.');
    return found;
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

  /** @throws AppError `CONFLICT` if more jobs would run than may, without those that repeat a running one */
  async function requireRoom(tenant: TenantRef, wanted: readonly ErasureDoc[]): Promise<void> {
    const most = (await erasures.countRunning(tenant)) + wanted.length;
    if (
      most <= MAX_RUNNING_ERASURES ||
      most - (await erasures.countRepeated(tenant, wanted)) <= MAX_RUNNING_ERASURES
    )
      return;
    throw new AppError(
      'CONFLICT',
      `At most ${MAX_RUNNING_ERASURES.toLocaleString('en')} erasures of a customer run at a time; retry when some have ended.`,
    );
  }

  /**
   * Starts jobs if they have room. One request of a tenant at a time: together, those of a process do not exceed the
   * maximum; another process can exceed it by one request.
   *
   * @throws AppError `CONFLICT` as `requireRoom` does
   */
  const startWithin = <Jobs extends ErasureDoc[]>(
    tenant: TenantRef,
    wanted: readonly [...Jobs],
  ): Promise<Jobs> =>
    inTurn(String(tenant.customerId), async () => {
      await requireRoom(tenant, wanted);
      return jobs.start(wanted);
    });

  return {
    /**
     * Starts to erase a person, and waits a few seconds for the end. Returns the running erasure if the same identifiers
     * are being erased.
     *
     * @param signal aborts when the client no longer waits
     * @throws AppError `CONFLICT` beyond the erasures of a tenant that run at a time
     */
    async start(
      tenant: TenantRef,
      input: ErasureInput,
      createdBy: string | null,
      signal?: AbortSignal,
    ): Promise<Erasure> {
      const key = await privacyKeys.findOrCreate(tenant);
      const job = personJob(tenant, key, { names: input, policy: input, createdBy });
      const [stored] = await startWithin(tenant, [job]);
      return toErasure(await jobs.untilEnded(stored, START_WAIT_MS, signal));
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
      const key = await privacyKeys.findOrCreate(tenant);
      const wanted = people.map((names) => personJob(tenant, key, { names, policy, createdBy }));
      const bySubject = new Map(wanted.map((job) => [job.subject, job]));
      const started = await startWithin(tenant, [...bySubject.values()]);
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
  };
}

export type ErasureService = ReturnType<typeof erasureService>;

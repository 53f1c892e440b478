import { type Connection, type Model, Schema } from 'mongoose';
import { rawCollection, rawReads } from '../mongo/raw-collection.ts';
import { STRICT } from '../mongo/strict-schema.ts';

/**
 * Registration of a process, a fence that a process raised, or the note that a registration was removed while its process
 * may have work in progress.
 */
export interface CoherenceDoc {
  _id: string;
  type: 'process' | 'expelled' | 'fence';
  /** Topics of a fence. */
  topics?: string[];
  /** Fences that a process has acknowledged and that existed at that time. */
  acknowledged?: string[];
  /** By the database's clock; MongoDB removes the document within a minute after it. */
  expiresAt: Date;
}

const coherenceSchema = new Schema<CoherenceDoc>(
  {
    _id: { type: String, required: true },
    type: { type: String, enum: ['process', 'expelled', 'fence'], required: true },
    topics: { type: [String], default: undefined },
    acknowledged: { type: [String], default: undefined },
    expiresAt: { type: Date, required: true },
  },
  { ...STRICT, collection: 'coherence' },
);
coherenceSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const coherenceModel = (connection: Connection): Model<CoherenceDoc> =>
  connection.model<CoherenceDoc>('Coherence', coherenceSchema);

/** Lifetime of a registration after its last renewal. Milliseconds. */
const REGISTRATION_TTL_MS = 60_000;
/** Id of the note. */
const EXPELLED = 'expelled';
/** Time for which the work of such a process counts as in progress: it may have been paused only. Milliseconds. */
const EXPELLED_TTL_MS = 5_000;
/** Lifetime of a fence; a writer that pauses for longer raises another fence. Milliseconds. */
export const FENCE_TTL_MS = 30_000;

export interface CoherenceState {
  isRegistered: boolean;
  /** Topics of each fence by its id. */
  fences: ReadonlyMap<string, readonly string[]>;
}

/** Documents of the coherence protocol. Writes have the default write concern, majority, unless they say otherwise. */
export function coherenceStore(Coherence: Model<CoherenceDoc>) {
  const collection = rawCollection<CoherenceDoc>(Coherence);
  const raw = rawReads<CoherenceDoc>(Coherence);

  const insert = async (fields: Omit<CoherenceDoc, 'expiresAt'>, ttlMs: number): Promise<void> => {
    const { _id, ...rest } = fields;
    const set = { ...rest, expiresAt: { $add: ['$$NOW', ttlMs] } };
    // An update, because an insert cannot use the database's clock.
    await collection.updateOne({ _id }, [{ $set: set }], { upsert: true });
  };

  /** Awaited before a registration is removed, so that no other process finds neither. */
  const noteExpelled = () => insert({ _id: EXPELLED, type: 'expelled' }, EXPELLED_TTL_MS);

  return {
    register: (id: string) => insert({ _id: id, type: 'process', acknowledged: [] }, REGISTRATION_TTL_MS),

    /** @param isHolding true while the process has work in progress, which then counts as that of an expelled one */
    deregister: async (id: string, { isHolding }: { isHolding: boolean }): Promise<void> => {
      if (isHolding) await noteExpelled();
      await collection.deleteOne({ _id: id });
    },

    /**
     * Reads the registration of a process and all fences.
     *
     * @param timeoutMs time limit of a confirmed read: a majority confirms it, so it contains every fence raised before
     *   the call, and fails on a primary that is cut off and has not stepped down. If null, the read shows the state of
     *   the member that answers.
     */
    async read(id: string, timeoutMs: number | null = null): Promise<CoherenceState> {
      const cursor = raw.find({ $or: [{ _id: id }, { type: 'fence' }] });
      if (timeoutMs !== null) cursor.withReadConcern({ level: 'linearizable' }).maxTimeMS(timeoutMs);
      const found = await cursor.toArray();
      const fences = found.flatMap(({ _id, topics }) => (topics ? [[_id, topics] as const] : []));
      return { isRegistered: fences.length < found.length, fences: new Map(fences) };
    },

    /** Renews a registration and acknowledges fences; returns false if the registration does not exist. */
    async confirm(id: string, fences: readonly string[]): Promise<boolean> {
      const { matchedCount } = await collection.updateOne({ _id: id }, [
        { $set: { acknowledged: [...fences], expiresAt: { $add: ['$$NOW', REGISTRATION_TTL_MS] } } },
      ]);
      return matchedCount === 1;
    },

    raise: (id: string, topics: readonly string[]) =>
      insert({ _id: id, type: 'fence', topics: [...topics] }, FENCE_TTL_MS),

    /** Returns the registrations other than `except` that have not acknowledged a fence. */
    async withoutAcknowledgement(fence: string, except: string | null): Promise<string[]> {
      const found = await raw
        .find({ type: 'process', _id: { $ne: except ?? '' }, acknowledged: { $ne: fence } })
        .project<{ _id: string }>({ _id: 1 })
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Removes the given registrations, unless they have acknowledged the fence by now. */
    expel: async (ids: readonly string[], fence: string): Promise<void> => {
      await noteExpelled();
      await collection.deleteMany({ _id: { $in: [...ids] }, acknowledged: { $ne: fence } });
    },

    /** Returns true if a registration was removed so recently that work of its process may be in progress. */
    async hasExpelled(): Promise<boolean> {
      const found = await raw.find({ _id: EXPELLED, $expr: { $gt: ['$expiresAt', '$$NOW'] } }).toArray();
      return found.length > 0;
    },

    /** Removes a fence; returns false if it does not exist. If a failover restores it, it expires. */
    async lower(id: string): Promise<boolean> {
      const { deletedCount } = await collection.deleteOne({ _id: id }, { writeConcern: { w: 1 } });
      return deletedCount === 1;
    },
  };
}

export type CoherenceStore = ReturnType<typeof coherenceStore>;

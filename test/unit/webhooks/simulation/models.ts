import type { Models } from '../../../../src/database/models.ts';
import { isDuplicateOnly } from '../../../../src/platform/mongo/duplicate-key.ts';
import { duplicateKeys, type SimulatedDatabase } from './database.ts';
import { type Doc, projected, sorting } from './operators.ts';
import type { Actor } from './world.ts';

type Operation = Record<string, Record<string, never>>;

/** A read as mongoose and the driver describe it. */
class Reading implements PromiseLike<unknown> {
  readonly #run: (reading: Reading) => Promise<unknown>;
  projection: Doc = {};
  order: Record<string, number> | null = null;
  rows = Infinity;

  constructor(run: (reading: Reading) => Promise<unknown>, projection: Doc = {}) {
    this.#run = run;
    this.projection = projection;
  }

  project(projection: Doc): this {
    this.projection = projection;
    return this;
  }
  sort(order: Record<string, number>): this {
    this.order = order;
    return this;
  }
  limit(rows: number): this {
    this.rows = rows;
    return this;
  }
  hint = (): this => this;
  batchSize = (): this => this;
  lean = (): this => this;
  read = (): this => this;
  readConcern = (): this => this;
  setOptions = (): this => this;
  maxTimeMS = (): this => this;
  toArray = (): Promise<unknown> => this.#run(this);
  exec = (): Promise<unknown> => this.#run(this);
  // biome-ignore lint/suspicious/noThenProperty: a mongoose query is awaited
  then: PromiseLike<unknown>['then'] = (resolve, reject) => this.#run(this).then(resolve, reject);

  catch = (reject: (error: unknown) => unknown): Promise<unknown> => this.#run(this).catch(reject);

  of(documents: Doc[]): Doc[] {
    const sorted = this.order ? documents.toSorted(sorting(this.order)) : documents;
    return sorted.slice(0, this.rows).map((document) => ({ ...projected(document, this.projection) }));
  }
}

const isMajority = (options?: { writeConcern?: { w?: unknown } }): boolean => options?.writeConcern?.w !== 1;

/** Executes one operation of a bulk write; returns null for an insertion that a unique index refuses. */
export function executeOperation(
  database: SimulatedDatabase,
  collection: string,
  operation: Operation,
): { matched: number; deleted: number; upserted: number } | null {
  const [[type, { filter, update, upsert, document }] = ['', {}]] = Object.entries(operation);
  const none = { matched: 0, deleted: 0, upserted: 0 };
  switch (type) {
    case 'insertOne':
      return database.insert(collection, document as unknown as Doc) ? none : null;
    case 'updateOne':
    case 'updateMany': {
      const options = { many: type === 'updateMany', upsert: Boolean(upsert) };
      const result = database.update(collection, filter as unknown as Doc, update as unknown as Doc, options);
      return { ...none, matched: result.matchedCount, upserted: result.upsertedCount };
    }
    case 'deleteOne':
    case 'deleteMany':
      return {
        ...none,
        deleted: database.remove(collection, filter as unknown as Doc, { many: type === 'deleteMany' }),
      };
    default:
      throw new Error(`The simulated database does not know the operation ${type}.`);
  }
}

/** Returns null if the document of an upsert exists. */
function unlessDuplicate<T>(execute: () => T): T | null {
  try {
    return execute();
  } catch (error) {
    if (isDuplicateOnly(error)) return null;
    throw error;
  }
}

/** A session whose transaction is one command: its writes apply together, and again if other writes have changed what they match. */
class Session {
  readonly #database: SimulatedDatabase;
  readonly #actor: Actor;
  #writes: { count: () => number; matched: number; execute: () => void }[] = [];

  constructor(database: SimulatedDatabase, actor: Actor) {
    this.#database = database;
    this.#actor = actor;
  }

  update(collection: string, filter: Doc, update: Doc, { many = false } = {}): { matchedCount: number } {
    const count = () => Math.min(many ? Infinity : 1, this.#database.find(collection, filter).length);
    const matched = count();
    const execute = () => void this.#database.update(collection, filter, update, { many });
    this.#writes.push({ count, matched, execute });
    return { matchedCount: matched };
  }

  async withTransaction<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      this.#writes = [];
      const result = await work();
      const writes = this.#writes;
      const isCommitted = await this.#database.command(this.#actor, {
        majority: true,
        retryable: true,
        execute() {
          if (writes.some(({ count, matched }) => count() !== matched)) return false;
          for (const { execute } of writes) execute();
          return true;
        },
      });
      if (isCommitted) return result;
    }
  }
}

/** The part of a mongoose model that the stores of the delivery engine use, for one process. */
function simulatedModel(database: SimulatedDatabase, actor: Actor, name: string) {
  const read = <T>(execute: () => T): Promise<T> =>
    database.command(actor, { majority: false, retryable: true, execute });
  const write = <T>(execute: () => T, { majority = true, retryable = true } = {}): Promise<T> =>
    database.command(actor, { majority, retryable, execute });
  const rows = (filter: Doc = {}, projection?: Doc) =>
    new Reading((reading) => read(() => reading.of(database.find(name, filter))), projection);
  const one = (filter: Doc, projection?: Doc) =>
    new Reading((reading) => read(() => reading.of(database.find(name, filter))[0] ?? null), projection);

  const aggregate = (pipeline: Doc[], { readConcern }: { readConcern?: { level: string } } = {}) => {
    const isOfMajority = readConcern?.level === 'majority';
    const run = () =>
      read(() =>
        isOfMajority ? database.aggregateOfMajority(name, pipeline) : database.aggregate(name, pipeline),
      );
    return { toArray: run };
  };

  const collection = {
    collectionName: name,
    aggregate,
    find: (
      filter: Doc,
      { projection = {}, readConcern }: { projection?: Doc; readConcern?: { level: string } } = {},
    ) =>
      readConcern?.level === 'majority'
        ? new Reading((reading) => read(() => reading.of(database.findOfMajority(name, filter))), projection)
        : rows(filter, projection),
    bulkWrite(operations: Operation[], options?: { ordered?: boolean; writeConcern?: { w?: unknown } }) {
      const retryable = !operations.some((each) => 'updateMany' in each || 'deleteMany' in each);
      return write(
        () => {
          const results = operations.map((each) =>
            unlessDuplicate(() => executeOperation(database, name, each)),
          );
          const refused = results.flatMap((result, index) => (result ? [] : [index]));
          if (refused.length > 0) throw duplicateKeys(refused, results.length - refused.length);
          const sum = (field: 'matched' | 'deleted' | 'upserted') =>
            results.reduce((total, result) => total + (result?.[field] ?? 0), 0);
          return {
            matchedCount: sum('matched'),
            modifiedCount: sum('matched'),
            deletedCount: sum('deleted'),
            upsertedCount: sum('upserted'),
          };
        },
        { majority: isMajority(options), retryable },
      );
    },
    insertMany: (documents: Doc[], options?: { writeConcern?: { w?: unknown } }) =>
      write(
        () => {
          const refused = documents.flatMap((document, index) =>
            database.insert(name, { ...document }) ? [] : [index],
          );
          if (refused.length > 0) throw duplicateKeys(refused, documents.length - refused.length);
          return { insertedCount: documents.length };
        },
        { majority: isMajority(options) },
      ),
    updateOne: (filter: Doc, update: Doc, options?: { upsert?: boolean; writeConcern?: { w?: unknown } }) =>
      write(() => database.update(name, filter, update, options), { majority: isMajority(options) }),
    updateMany: (filter: Doc, update: Doc, options?: { writeConcern?: { w?: unknown } }) =>
      write(() => database.update(name, filter, update, { many: true }), {
        majority: isMajority(options),
        retryable: false,
      }),
    deleteMany: (filter: Doc, options?: { writeConcern?: { w?: unknown } }) =>
      write(() => ({ deletedCount: database.remove(name, filter, { many: true }) }), {
        majority: isMajority(options),
        retryable: false,
      }),
    deleteOne: (filter: Doc, options?: { writeConcern?: { w?: unknown } }) =>
      write(() => ({ deletedCount: database.remove(name, filter) }), { majority: isMajority(options) }),
  };

  // Nothing is sent before the result is awaited, as with mongoose.
  const lazily = (run: () => Promise<unknown>) => new Reading(run);

  return {
    collection,
    db: {
      name: 'simulation',
      getClient: () => ({ db: () => ({ aggregate }) }),
      withSession: <T>(work: (session: Session) => Promise<T>) => work(new Session(database, actor)),
    },
    find: rows,
    findOne: one,
    findById: (id: unknown) => one({ _id: id }),
    exists: (filter: Doc) => one(filter, { _id: 1 }),
    countDocuments: (filter: Doc, { limit = Infinity }: { limit?: number } = {}) =>
      lazily(() => read(() => Math.min(limit, database.find(name, filter).length))),
    findOneAndUpdate: (filter: Doc, update: Doc, options?: { upsert?: boolean }) =>
      lazily(() => write(() => database.update(name, filter, update, options).document)),
    updateOne: (filter: Doc, update: Doc, options?: { upsert?: boolean; session?: Session }) =>
      lazily(
        async () =>
          options?.session?.update(name, filter, update) ?? collection.updateOne(filter, update, options),
      ),
    updateMany: (filter: Doc, update: Doc, options?: { session?: Session }) =>
      lazily(
        async () =>
          options?.session?.update(name, filter, update, { many: true }) ??
          collection.updateMany(filter, update),
      ),
    bulkWrite: collection.bulkWrite,
    deleteOne: (filter: Doc) => lazily(() => collection.deleteOne(filter)),
    deleteMany: (filter: Doc) => lazily(() => collection.deleteMany(filter)),
    aggregate,
  };
}

/** Returns the models of one process, which reach the database through its connection. */
export function simulatedModels(database: SimulatedDatabase, actor: Actor): Models {
  const model = (name: string) => simulatedModel(database, actor, name);
  return {
    Delivery: model('webhookDeliveries'),
    Event: model('webhookEvents'),
    Endpoint: model('webhookEndpoints'),
    EndpointCount: model('webhookEndpointCounts'),
    Recovery: model('webhookRecoveries'),
    SendQuota: model('webhookSendQuotas'),
    Checkpoint: model('checkpoints'),
    Counter: model('counters'),
    RateWindow: model('rateWindows'),
    WebhookStatistics: model('webhookStatistics'),
  } as unknown as Models;
}

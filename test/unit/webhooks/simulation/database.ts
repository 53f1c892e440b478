import { mongo, Types } from 'mongoose';
import { newObjectId } from '../../../../src/platform/mongo/object-id.ts';
import { aggregated, type Doc, matches, updated } from './operators.ts';
import type { Actor, World } from './world.ts';

/** A write of one document, as the oplog of the primary has it. */
export interface OplogEntry {
  collection: string;
  key: string;
  before: Doc | null;
  after: Doc | null;
}

/** One command of a process. */
interface Command<T> {
  /** Acknowledged only once a majority of the members has its writes. */
  majority: boolean;
  /** The driver repeats it once after a network error, and the database executes it once. */
  retryable: boolean;
  execute: () => T;
}

/** Unique indexes beside `_id`. */
const UNIQUE: Record<string, readonly string[]> = {
  webhookDeliveries: ['customerId', 'eventId', 'endpointId'],
  webhookRecoveries: ['endpointId'],
  webhookEndpoints: ['id'],
};

/** Returns true for a condition with operators, which says nothing about the document of an upsert. */
const isCondition = (condition: unknown): boolean =>
  typeof condition === 'object' &&
  condition !== null &&
  Object.keys(condition).some((key) => key.startsWith('$'));

/** Time for which the driver waits for a primary. Milliseconds. */
const SERVER_SELECTION_MS = 4_500;

const keyOf = (id: unknown): string => (id instanceof Types.ObjectId ? id.toHexString() : String(id));

const networkError = (): Error => {
  const error = new mongo.MongoNetworkError('The connection was closed.');
  error.addErrorLabel(mongo.MongoErrorLabel.RetryableWriteError);
  return error;
};

/** Returns the error of the driver for documents that exist. */
export const duplicateKeys = (indexes: readonly number[], insertedCount: number): Error => {
  const writeErrors = indexes.map((index) => ({ code: 11_000, index, errmsg: 'E11000 duplicate key' }));
  const result = { insertedCount, upsertedCount: 0, getWriteConcernError: () => undefined };
  return new mongo.MongoBulkWriteError(
    { message: 'E11000 duplicate key', code: 11_000, writeErrors } as never,
    result as never,
  );
};

/**
 * A replica set with one primary. A command reaches it, is executed, and is acknowledged at three separate times; the
 * network can lose it before the second or before the third. A failover undoes the writes that the majority did not have,
 * acknowledged ones with write concern 1 included.
 */
export class SimulatedDatabase {
  readonly #world: World;
  readonly #collections = new Map<string, Map<string, Doc>>();
  #oplog: OplogEntry[] = [];
  /** Length of the oplog that a majority has. */
  #majorityPoint = 0;
  #waiters: { until: number; acknowledge: () => void; fail: () => void }[] = [];
  /** Incremented by each failover: connections to the old primary are closed. */
  #term = 0;
  /** Length of the oplog that each failover has left, by the term that it ended. */
  readonly #kept: number[] = [];
  #primaryFromMs = 0;
  #stalledUntilMs = 0;
  #replicationStalledUntilMs = 0;
  /** Probability that the network loses a command or its response. */
  lossRate = 0;
  #slow = { untilMs: 0, upToMs: 0 };
  /** Called for each write when it is executed. */
  onWrite: (entry: OplogEntry) => void = () => {};
  onRollback: (entry: OplogEntry) => void = () => {};
  /** Called for each write whose process has not received the response to its command, and does not repeat it. */
  onUnanswered: (entry: OplogEntry) => void = () => {};

  constructor(world: World) {
    this.#world = world;
  }

  /** Returns the time that a command or a response is under way. Milliseconds. */
  #latencyMs(): number {
    const { random, nowMs } = this.#world;
    const isSlow = nowMs < this.#slow.untilMs && random.chance(0.1);
    return isSlow ? random.between(0, this.#slow.upToMs) : random.between(0.3, 2);
  }

  documents(collection: string): Map<string, Doc> {
    let documents = this.#collections.get(collection);
    if (!documents) {
      documents = new Map();
      this.#collections.set(collection, documents);
    }
    return documents;
  }

  get = (collection: string, id: unknown): Doc | undefined => this.documents(collection).get(keyOf(id));

  /** Every command waits. */
  stall(ms: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#world.nowMs + ms);
  }

  /** For a time, some commands and responses are under way for up to this time. */
  slowDown(ms: number): void {
    this.#slow = { untilMs: this.#world.nowMs + ms, upToMs: ms };
  }

  /** The secondaries do not follow: no write is acknowledged by a majority. */
  stallReplication(ms: number): void {
    this.#replicationStalledUntilMs = Math.max(this.#replicationStalledUntilMs, this.#world.nowMs + ms);
  }

  /** A secondary becomes the primary after an election. */
  failOver(electionMs: number): void {
    this.#kept[this.#term] = this.#majorityPoint;
    this.#term += 1;
    this.#primaryFromMs = this.#world.nowMs + electionMs;
    this.#stalledUntilMs = 0;
    this.#replicationStalledUntilMs = 0;
    for (const entry of this.#oplog.splice(this.#majorityPoint).reverse()) {
      const documents = this.documents(entry.collection);
      if (entry.before) documents.set(entry.key, entry.before);
      else documents.delete(entry.key);
      this.onRollback(entry);
    }
    for (const { fail } of this.#waiters.splice(0)) fail();
  }

  /** Ends every fault in progress. */
  heal(): void {
    this.#stalledUntilMs = 0;
    this.#replicationStalledUntilMs = 0;
    this.#primaryFromMs = Math.min(this.#primaryFromMs, this.#world.nowMs + 100);
    this.lossRate = 0;
    this.#slow.untilMs = 0;
    this.#replicate(this.#oplog.length);
  }

  /** Sends a command of a process; resolves with its result when its acknowledgement has arrived. */
  command<T>(actor: Actor, command: Command<T>): Promise<T> {
    return new Promise((resolve, reject) =>
      this.#send(actor, command, { resolve, reject, executed: null, tries: 1 }),
    );
  }

  #send<T>(
    actor: Actor,
    command: Command<T>,
    call: {
      resolve: (value: T) => void;
      reject: (error: unknown) => void;
      /** Result, and the length of the oplog before and after it, unless a failover has undone it. */
      executed: {
        outcome: { value: T } | { error: unknown };
        from: number;
        until: number;
        term: number;
      } | null;
      tries: number;
    },
  ): void {
    const world = this.#world;
    const term = this.#term;
    const respond = (run: () => void) => world.after(this.#latencyMs(), actor, run);
    const loseConnection = () =>
      respond(() => {
        if (!command.retryable || call.tries > 1) {
          const { executed } = call;
          if (executed && executed.until <= (this.#kept[executed.term] ?? Infinity))
            for (const entry of this.#oplog.slice(executed.from, executed.until)) this.onUnanswered(entry);
          return call.reject(networkError());
        }
        call.tries += 1;
        this.#send(actor, command, call);
      });
    const acknowledge = () => {
      const outcome = call.executed?.outcome;
      if (!outcome || world.random.chance(this.lossRate)) return loseConnection();
      return respond(() => ('value' in outcome ? call.resolve(outcome.value) : call.reject(outcome.error)));
    };
    const arrive = (): unknown => {
      if (term !== this.#term || world.random.chance(this.lossRate)) return loseConnection();
      if (this.#stalledUntilMs > world.nowMs)
        return world.after(this.#stalledUntilMs - world.nowMs, null, arrive);
      if (call.executed && call.executed.until > (this.#kept[call.executed.term] ?? Infinity))
        call.executed = null;
      if (!call.executed) {
        const from = this.#oplog.length;
        let outcome: { value: T } | { error: unknown };
        try {
          outcome = { value: command.execute() };
        } catch (error) {
          outcome = { error };
        }
        call.executed = { outcome, from, until: this.#oplog.length, term };
        if (this.#oplog.length > from) this.#replicateSoon();
      }
      if (!command.majority || call.executed.until <= this.#majorityPoint) return acknowledge();
      return this.#waiters.push({
        until: call.executed.until,
        acknowledge,
        fail: () => {
          call.executed = null;
          loseConnection();
        },
      });
    };
    const electedInMs = this.#primaryFromMs - world.nowMs;
    if (electedInMs > SERVER_SELECTION_MS)
      world.after(SERVER_SELECTION_MS, actor, () =>
        call.reject(new mongo.MongoServerSelectionError('No primary.', {} as never)),
      );
    else world.after(Math.max(0, electedInMs) + this.#latencyMs(), null, arrive);
  }

  #replicateSoon(): void {
    const length = this.#oplog.length;
    const term = this.#term;
    const replicate = (): void => {
      if (term !== this.#term) return;
      const stalledMs = this.#replicationStalledUntilMs - this.#world.nowMs;
      if (stalledMs > 0) this.#world.after(stalledMs, null, replicate);
      else this.#replicate(length);
    };
    this.#world.after(this.#latencyMs(), null, replicate);
  }

  #replicate(length: number): void {
    this.#majorityPoint = Math.max(this.#majorityPoint, length);
    const acknowledged = this.#waiters.filter(({ until }) => until <= this.#majorityPoint);
    this.#waiters = this.#waiters.filter(({ until }) => until > this.#majorityPoint);
    for (const { acknowledge } of acknowledged) acknowledge();
  }

  /** Sets or removes a document on the primary. */
  write(collection: string, key: string, after: Doc | null): void {
    const documents = this.documents(collection);
    const entry = { collection, key, before: documents.get(key) ?? null, after };
    if (after) documents.set(key, after);
    else documents.delete(key);
    this.#oplog.push(entry);
    this.onWrite(entry);
  }

  /** Finds documents as a majority has them. */
  findOfMajority(collection: string, filter: Doc): Doc[] {
    const documents = new Map(this.documents(collection));
    for (const { collection: changed, key, before } of this.#oplog.slice(this.#majorityPoint).reverse()) {
      if (changed !== collection) continue;
      if (before) documents.set(key, before);
      else documents.delete(key);
    }
    return this.#matching(documents, filter);
  }

  find = (collection: string, filter: Doc): Doc[] => this.#matching(this.documents(collection), filter);

  /** Aggregates documents as a majority has them. */
  aggregateOfMajority = (collection: string, pipeline: Doc[]): Doc[] =>
    aggregated(this.findOfMajority(collection, {}), pipeline, (name) => this.findOfMajority(name, {}));

  #matching(documents: Map<string, Doc>, filter: Doc): Doc[] {
    const ids = idsOf(filter);
    const candidates = ids ? ids.map((id) => documents.get(id)) : [...documents.values()];
    return candidates.filter(
      (document): document is Doc => document !== undefined && matches(document, filter),
    );
  }

  aggregate = (collection: string, pipeline: Doc[]): Doc[] =>
    aggregated([...this.documents(collection).values()], pipeline, (name) => [
      ...this.documents(name).values(),
    ]);

  /** Inserts a document; returns false if it violates a unique index. */
  insert(collection: string, document: Doc): boolean {
    const documents = this.documents(collection);
    if (documents.has(keyOf(document._id))) return false;
    const fields = UNIQUE[collection];
    if (fields) {
      const same = Object.fromEntries(fields.map((field) => [field, document[field]]));
      for (const other of documents.values()) if (matches(other, same)) return false;
    }
    this.write(collection, keyOf(document._id), document);
    return true;
  }

  update(
    collection: string,
    filter: Doc,
    update: Doc | Doc[],
    { many = false, upsert = false } = {},
  ): UpdateResult {
    const found = this.find(collection, filter).slice(0, many ? undefined : 1);
    const changed = found.map((document) => updated(document, update));
    for (const document of changed) this.write(collection, keyOf(document._id), document);
    if (found.length > 0 || !upsert)
      return {
        matchedCount: found.length,
        modifiedCount: found.length,
        upsertedCount: 0,
        document: changed[0] ?? null,
      };
    const equalities = Object.fromEntries(
      Object.entries(filter).filter(([key, condition]) => !key.startsWith('$') && !isCondition(condition)),
    );
    const document = updated(equalities, update, true);
    document._id ??= newObjectId(new Date(this.#world.nowMs));
    if (!this.insert(collection, document)) throw duplicateKeys([0], 0);
    return { matchedCount: 0, modifiedCount: 0, upsertedCount: 1, document };
  }

  remove(collection: string, filter: Doc, { many = false } = {}): number {
    const found = this.find(collection, filter).slice(0, many ? undefined : 1);
    for (const { _id } of found) this.write(collection, keyOf(_id), null);
    return found.length;
  }
}

interface UpdateResult {
  matchedCount: number;
  modifiedCount: number;
  upsertedCount: number;
  /** After the update. */
  document: Doc | null;
}

/** Returns the ids that a filter names; null if it names none. */
function idsOf({ _id: id }: Doc): string[] | null {
  if (id === undefined) return null;
  if (id instanceof Types.ObjectId || typeof id !== 'object' || id === null) return [keyOf(id)];
  const { $in } = id as { $in?: unknown[] };
  return $in ? [...new Set($in.map(keyOf))] : null;
}

import { AppError } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isObjectIdText } from '../../../platform/cursor.ts';
import { duplicateKeyOf } from '../../../platform/mongo/duplicate-key.ts';
import type { Write } from '../../../platform/mongo/write.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ConversationStore } from '../conversations.store.ts';
import type { Conversions } from '../conversions.ts';
import type { ImportStore } from './import.store.ts';
import type { ImportedConversation } from './import-line.ts';
import { type ImportUnit, importUnit } from './import-unit.ts';

interface Deps {
  conversations: ConversationStore;
  conversions: Conversions;
  imports: ImportStore;
  outbox: Outbox;
  clock: Clock;
}

interface WriteOptions {
  /** True to emit the events of the conversations. */
  emit: boolean;
  /** Throws when the import has lost its lease. */
  requireLease: () => void;
}

const idOf = ({ conversation }: ImportUnit) => conversation._id;

/** Stores imported conversations, each with all of its messages and records or not at all. */
export function importWriter({ conversations, conversions, imports, outbox, clock }: Deps) {
  /** Inserts documents of several units; returns the units whose documents are all inserted. */
  async function insert(
    units: ImportUnit[],
    insertionsOf: (unit: ImportUnit) => Write[],
  ): Promise<ImportUnit[]> {
    const insertions = units.flatMap((unit) => insertionsOf(unit).map((write) => ({ unit, write })));
    const refused = await imports.insertEach(insertions.map(({ write }) => write));
    const incomplete = new Set(refused.map((index) => insertions[index]?.unit));
    return units.filter((unit) => !incomplete.has(unit));
  }

  /**
   * Reserves the ids of the units; returns those whose ids are free. The conversations are looked up once the ids are
   * reserved: from then on no other import can store one of them.
   */
  async function stage(tenant: Tenant, units: ImportUnit[]): Promise<ImportUnit[]> {
    const staged = await insert(units, (unit) => [imports.staging(tenant, idOf(unit))]);
    const taken = await imports.taken(staged.filter(({ keepsIds }) => keepsIds).map(idOf));
    const isTaken = (unit: ImportUnit) => taken.has(idOf(unit).toHexString());
    await imports.unstage(tenant, staged.filter(isTaken).map(idOf));
    return staged.filter((unit) => !isTaken(unit));
  }

  /** Inserts messages and records; returns the units of which all are stored. */
  async function insertContents(units: ImportUnit[]): Promise<ImportUnit[]> {
    const [withMessages, withRecords] = await Promise.all([
      insert(units, ({ messages }) => conversations.messageInsertions(messages)),
      insert(units, ({ records }) => records),
    ]);
    const complete = new Set(withRecords);
    return withMessages.filter((unit) => complete.has(unit));
  }

  /** Inserts the conversations, committed with their events if there are any; returns the units that are stored. */
  async function publish(units: ImportUnit[]): Promise<ImportUnit[]> {
    const insertionOf = ({ conversation }: ImportUnit) => conversations.insertion(conversation);
    const events = units.flatMap((unit) => unit.events);
    if (events.length === 0) return insert(units, (unit) => [insertionOf(unit)]);
    try {
      await outbox.commit(() => ({ writes: units.map(insertionOf), events, result: null }));
      return units;
    } catch (error) {
      if (duplicateKeyOf(error) === null) throw error;
      return [];
    }
  }

  /** Stores the units without an id in use, and returns them. */
  async function storeUnits(
    tenant: Tenant,
    units: ImportUnit[],
    requireLease: () => void,
  ): Promise<Set<ImportUnit>> {
    const staged = await stage(tenant, units);
    const complete = await insertContents(staged);
    // Another import discards staged conversations, so this one must not publish or discard concurrently.
    requireLease();
    const stored = new Set(await publish(complete));
    requireLease();
    await imports.discard(tenant, staged.filter((unit) => !stored.has(unit)).map(idOf));
    await imports.unstage(tenant, [...stored].map(idOf));
    return stored;
  }

  return {
    /**
     * Stores conversations with distinct import ids; returns the number of stored ones. The tenant already has the
     * others.
     *
     * @throws AppError `CONFLICT` when another import of the tenant stores the same conversations
     */
    async storeAll(
      tenant: Tenant,
      batch: ImportedConversation[],
      { emit, requireLease }: WriteOptions,
    ): Promise<number> {
      let left = batch;
      let stored = 0;
      // An id of a unit that was not stored is in use: the second round generates new ids.
      for (const keepIds of [true, false]) {
        const known = await imports.known(
          tenant,
          left.map(({ id }) => id),
        );
        left = left.filter(({ id }) => !known.has(id));
        if (left.length === 0) return stored;
        const now = clock.now();
        const units = left.map((imported) =>
          importUnit(tenant, imported, {
            conversions,
            emit,
            keepIds: keepIds && isObjectIdText(imported.id),
            now,
          }),
        );
        const done = await storeUnits(tenant, units, requireLease);
        stored += done.size;
        left = left.filter((_, index) => !units[index] || !done.has(units[index]));
      }
      if (left.length > 0)
        throw new AppError(
          'CONFLICT',
          'Another import for this customer is storing the same conversations. Run this import again after it has ended.',
        );
      return stored;
    },

    /** Removes incomplete conversations of the tenant's crashed imports. */
    discardLeftovers: async (tenant: Tenant): Promise<void> =>
      imports.discard(tenant, await imports.staged(tenant)),
  };
}

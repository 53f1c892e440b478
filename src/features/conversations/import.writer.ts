import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { isObjectIdText } from '../../platform/cursor.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import type { Write } from '../../platform/mongo/write.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { ConversationStore } from './conversations.store.ts';
import type { Conversions } from './conversions.ts';
import type { ImportedConversation } from './import.line.ts';
import type { ImportStore } from './import.store.ts';
import { type ImportUnit, importUnit } from './import.unit.ts';

interface Deps {
  conversations: ConversationStore;
  conversions: Conversions;
  imports: ImportStore;
  outbox: Outbox;
  clock: Clock;
}

const idOf = ({ conversation }: ImportUnit) => conversation._id;

/** Stores what was imported: each conversation is there with all that it has, or not at all. */
export function importWriter({ conversations, conversions, imports, outbox, clock }: Deps) {
  /** Runs the writes of several units; gives the units of which one was refused. */
  async function run(units: ImportUnit[], writesOf: (unit: ImportUnit) => Write[]): Promise<Set<ImportUnit>> {
    const writes = units.flatMap((unit) => writesOf(unit).map((write) => ({ unit, write })));
    const refused = await imports.run(writes.map(({ write }) => write));
    return new Set(refused.flatMap((index) => writes[index]?.unit ?? []));
  }

  /** Stores them with all that they have, seen by nobody; gives those for which there was room. */
  async function hide(tenant: Tenant, units: ImportUnit[]): Promise<ImportUnit[]> {
    const elsewhere = await run(units, ({ conversation }) => [imports.hidden(tenant, conversation)]);
    const hidden = units.filter((unit) => !elsewhere.has(unit));
    const [withoutMessages, withoutRecords] = await Promise.all([
      run(hidden, ({ messages }) => conversations.messageInsertions(messages)),
      run(hidden, ({ records }) => records),
    ]);
    return hidden.filter((unit) => !withoutMessages.has(unit) && !withoutRecords.has(unit));
  }

  /** Makes them the tenant's, and with the same transaction the events that tell of them, if there are any. */
  async function reveal(tenant: Tenant, units: ImportUnit[]): Promise<void> {
    if (units.every(({ events }) => events.length === 0)) return imports.reveal(tenant, units.map(idOf));
    const plan = async () => {
      const found = await imports.found(tenant, units.map(idOf));
      const hidden = units.filter((unit) => found.get(idOf(unit).toHexString()) === false);
      return {
        writes: hidden.map((unit) => imports.revealing(tenant, idOf(unit))),
        events: hidden.flatMap(({ events }) => events),
        result: null,
      };
    };
    await outbox.commit(plan).catch((error: unknown) => {
      if (duplicateKeyOf(error) === null) throw error;
    });
  }

  /** Stores as many of them as can be, and gives these. */
  async function attempt(tenant: Tenant, units: ImportUnit[]): Promise<Set<ImportUnit>> {
    await reveal(tenant, await hide(tenant, units));
    const found = await imports.found(tenant, units.map(idOf));
    const stored = new Set(units.filter((unit) => found.get(idOf(unit).toHexString())));
    const failed = units.filter((unit) => !stored.has(unit)).map(idOf);
    if (failed.length > 0) await imports.clear(tenant, failed);
    return stored;
  }

  return {
    /**
     * Stores conversations, each with an id of its own; gives how many. The tenant has the others already.
     *
     * @throws AppError `CONFLICT` when another import of the tenant has them, too
     */
    async storeAll(tenant: Tenant, batch: ImportedConversation[], emit: boolean): Promise<number> {
      let left = batch;
      let stored = 0;
      // What was refused keeps none of its ids the second time: one of them, or one inside, is taken.
      for (const first of [true, false]) {
        const ids = left.map(({ id }) => id);
        const { known, taken } = await imports.standing(tenant, ids);
        left = left.filter(({ id }) => !known.has(id));
        if (left.length === 0) return stored;
        const now = clock.now();
        const units = left.map((imported) => {
          const keepIds = first && isObjectIdText(imported.id) && !taken.has(imported.id);
          return importUnit(conversions, tenant, imported, { emit, keepIds }, now);
        });
        const done = await attempt(tenant, units);
        stored += done.size;
        left = left.filter((_, index) => !units[index] || !done.has(units[index]));
      }
      if (left.length > 0)
        throw new AppError('CONFLICT', 'Another import of the customer is at the same conversations.');
      return stored;
    },

    /** Clears away what imports that were killed have left behind. */
    clear: (tenant: Tenant): Promise<void> => imports.clear(tenant, null),
  };
}

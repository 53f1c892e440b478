import mongoose from 'mongoose';
import type { Scope } from './scopes.ts';
import type { Edges, Tally } from './tally.ts';

/** Raised with every change of what is counted or how: what another version has saved is left alone. */
const FORMAT = 1;
/** A tally with so many strings is counted again at the next start instead; MongoDB's bound is 16 MiB. */
const MAX_DOCUMENT = 15 * 1024 * 1024;

interface EdgesDoc {
  /** Key of the scope. */
  _id: string;
  format: number;
  basis: string;
  features: { name: string; edges: readonly number[] }[];
}

interface TallyDoc {
  _id: string;
  scope: string;
  partition: string;
  basis: string;
  batches: number;
  rows: number;
  features: { name: string; bins: number[]; words: string[]; counts: number[] }[];
}

/**
 * What has been counted, kept so that a start need not read all samples again. Never the truth: each document says
 * what it was counted from, and one that does not fit is not used.
 */
export function savedProfiles(db: mongoose.mongo.Db) {
  const edges = db.collection<EdgesDoc>('edges');
  const tallies = db.collection<TallyDoc>('tallies');
  /** What is stored already. */
  const stored = new Map<string, string>();

  /** Stores a document unless the one that is there says the same. */
  async function put<D extends { _id: string }>(
    collection: mongoose.mongo.Collection<D>,
    id: string,
    state: string,
    make: () => D,
  ): Promise<void> {
    if (stored.get(id) === state) return;
    const doc = make();
    if (mongoose.mongo.BSON.calculateObjectSize(doc) > MAX_DOCUMENT) return;
    await collection.replaceOne(
      { _id: doc._id } as mongoose.mongo.Filter<D>,
      doc as mongoose.mongo.WithoutId<D>,
      { upsert: true },
    );
    stored.set(id, state);
  }

  return {
    async load(): Promise<Map<string, Scope>> {
      const scopes = new Map<string, Scope>();
      for await (const { _id, basis, features } of edges.find({ format: FORMAT })) {
        const byName: Edges = new Map(features.map((feature) => [feature.name, feature.edges]));
        scopes.set(_id, { basis, edges: byName, tallies: new Map() });
      }
      for await (const doc of tallies.find()) {
        const scope = scopes.get(doc.scope);
        if (scope?.basis === doc.basis) scope.tallies.set(doc.partition, toTally(doc));
      }
      return scopes;
    },

    async save(scopes: ReadonlyMap<string, Scope>): Promise<void> {
      const ids: string[] = [];
      for (const [key, scope] of scopes) {
        const { basis } = scope;
        for (const [partition, tally] of scope.tallies) {
          const _id = `${key} ${partition}`;
          ids.push(_id);
          await put(tallies, `tally ${_id}`, `${basis} ${tally.batches}`, () => ({
            _id,
            scope: key,
            partition,
            basis,
            ...fromTally(tally),
          }));
        }
        await put(edges, `edges ${key}`, basis, () => ({
          _id: key,
          format: FORMAT,
          basis,
          features: [...scope.edges].map(([name, inner]) => ({ name, edges: inner })),
        }));
      }
      await tallies.deleteMany({ _id: { $nin: ids } });
      await edges.deleteMany({ _id: { $nin: [...scopes.keys()] } });
    },
  };
}

export type SavedProfiles = ReturnType<typeof savedProfiles>;

const fromTally = ({ batches, rows, features }: Tally): Pick<TallyDoc, 'batches' | 'rows' | 'features'> => ({
  batches,
  rows,
  features: [...features].map(([name, { bins, categories }]) => ({
    name,
    bins: [...bins],
    words: [...categories.keys()],
    counts: [...categories.values()],
  })),
});

const toTally = ({ batches, rows, features }: TallyDoc): Tally => ({
  batches,
  rows,
  features: new Map(
    features.map(({ name, bins, words, counts }) => [
      name,
      {
        bins: Float64Array.from(bins),
        categories: new Map(words.map((word, index) => [word, counts[index] ?? 0])),
      },
    ]),
  ),
});

import mongoose from 'mongoose';
import type { SampleSet } from '../samples/samples.types.ts';
import { basisOf, type Scope, type Tally } from './profile-scopes.ts';
import { narrowed } from './spread.ts';
import { EVERYTHING, pointsAt } from './windows.ts';

/** Raised with every change of what is counted or how: what another version has saved is left alone. */
const FORMAT = 2;
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
  set: SampleSet;
  batches: number;
  rows: number;
  features: FeatureDoc[];
}

/** Numbers between the edges, and at those of them that some are equal to. */
interface FeatureDoc {
  name: string;
  gaps: number[];
  values: number[];
  counts: number[];
  words: string[];
  wordCounts: number[];
}

/**
 * What has been counted, kept so that a start need not read all samples again. Never the truth: each document says
 * what it was counted from, and one that does not fit is not used. Windows are kept as the edges alone: what is in
 * them is some megabytes, and it is read again should the reference grow.
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
        const known = { basis, edges: new Map(features.map(({ name, edges }) => [name, edges])) };
        const windows = new Map(features.map(({ name, edges }) => [name, pointsAt(edges)]));
        scopes.set(_id, { windows, tallies: new Map(), known });
      }
      for await (const doc of tallies.find()) {
        const scope = scopes.get(doc.scope);
        if (scope?.known.basis === doc.basis) scope.tallies.set(doc.partition, toTally(doc));
      }
      return scopes;
    },

    async save(scopes: ReadonlyMap<string, Scope>): Promise<void> {
      const ids: string[] = [];
      for (const [key, scope] of scopes) {
        const { known } = scope;
        const { basis } = known;
        // Samples come while others are stored: what is under other edges by now is counted again at the next start.
        const unchanged = () => scope.known === known && basisOf(scope) === basis;
        for (const [partition, tally] of scope.tallies) {
          if (!unchanged()) break;
          const _id = `${key} ${partition}`;
          ids.push(_id);
          await put(tallies, `tally ${_id}`, `${basis} ${tally.batches}`, () => ({
            _id,
            scope: key,
            partition,
            basis,
            ...fromTally(tally, scope),
          }));
        }
        if (!unchanged()) continue;
        await put(edges, `edges ${key}`, `${basis} ${scope.windows.size}`, () => ({
          _id: key,
          format: FORMAT,
          basis,
          features: [...scope.windows.keys()].map((name) => ({ name, edges: known.edges.get(name) ?? [] })),
        }));
      }
      await tallies.deleteMany({ _id: { $nin: ids } });
      await edges.deleteMany({ _id: { $nin: [...scopes.keys()] } });
    },
  };
}

export type SavedProfiles = ReturnType<typeof savedProfiles>;

function fromTally(
  { set, batches, rows, features }: Tally,
  { windows, known }: Scope,
): Omit<TallyDoc, '_id' | 'scope' | 'partition' | 'basis'> {
  return {
    set,
    batches,
    rows,
    features: [...features].map(([name, { spread, categories }]) => {
      const points = pointsAt(known.edges.get(name) ?? []);
      const { gaps, values, counts } = narrowed(spread, windows.get(name) ?? EVERYTHING, points);
      return {
        name,
        gaps: [...gaps],
        values: [...values],
        counts: [...counts],
        words: [...categories.keys()],
        wordCounts: [...categories.values()],
      };
    }),
  };
}

const toTally = ({ set, batches, rows, features }: TallyDoc): Tally => ({
  set,
  batches,
  rows,
  features: new Map(
    features.map(({ name, gaps, values, counts, words, wordCounts }) => [
      name,
      {
        spread: {
          gaps: Float64Array.from(gaps),
          values: Float64Array.from(values),
          counts: Uint32Array.from(counts),
          length: values.length,
        },
        categories: new Map(words.map((word, index) => [word, wordCounts[index] ?? 0])),
      },
    ]),
  ),
});

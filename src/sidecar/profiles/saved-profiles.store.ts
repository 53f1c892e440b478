import mongoose from 'mongoose';
import type { ModelDb } from '../model-db.ts';
import type { SampleSet } from '../samples/samples.types.ts';
import { basisOf, type Scope, type Tally } from './profile-scopes.ts';
import { narrowTo } from './value-distribution.ts';
import { ALL_VALUES, pointWindows } from './value-windows.ts';

/** Version of the saved format; documents of other versions are ignored. Increment it when the counting changes. */
const FORMAT = 3;
/** Maximum document size, below MongoDB's 16 MiB; a larger tally is not saved, so the next start counts it again. */
const MAX_DOCUMENT_BYTES = 15 * 1024 * 1024;

interface EdgesDoc {
  /** Key of the scope. */
  _id: string;
  format: number;
  basis: string;
  features: { name: string; edges: readonly number[] }[];
}

interface TallyDoc {
  _id: string;
  format: number;
  scope: string;
  partition: string;
  basis: string;
  set: SampleSet;
  batches: number;
  firstBatch: number;
  skippedRows: number;
  rows: number;
  features: FeatureDoc[];
}

/** Counts of the numbers between the edges (`gaps`), of the numbers equal to an edge (`values`), and of the strings. */
interface FeatureDoc {
  name: string;
  lastBatch: number;
  gaps: number[];
  values: number[];
  counts: number[];
  words: string[];
  wordCounts: number[];
}

interface PutOptions<D extends { _id: string }> {
  collection: mongoose.mongo.Collection<D>;
  /** Key in `savedVersions`. */
  key: string;
  version: string;
  build: () => D;
}

/**
 * Creates the store of saved counts, which spare a start from reading all samples again. It is a cache: each document
 * names the samples that it was counted from, and one that does not match is ignored. Of the windows only the edges
 * are saved, because their contents take megabytes; they are read again if the reference grows.
 */
export function savedProfileStore(db: ModelDb) {
  const edges = db.collection<EdgesDoc>('edges');
  const tallies = db.collection<TallyDoc>('tallies');
  /** Version of each document that this process has saved. */
  const savedVersions = new Map<string, string>();

  /** Saves a document unless this version of it is saved already. */
  async function put<D extends { _id: string }>(options: PutOptions<D>): Promise<void> {
    const { collection, key, version, build } = options;
    if (savedVersions.get(key) === version) return;
    const doc = build();
    if (mongoose.mongo.BSON.calculateObjectSize(doc) > MAX_DOCUMENT_BYTES) return;
    await collection.replaceOne(
      { _id: doc._id } as mongoose.mongo.Filter<D>,
      doc as mongoose.mongo.WithoutId<D>,
      { upsert: true },
    );
    savedVersions.set(key, version);
  }

  return {
    async load(): Promise<Map<string, Scope>> {
      const scopes = new Map<string, Scope>();
      for await (const { _id, basis, features } of edges.find({ format: FORMAT })) {
        const edgeCache = { basis, edges: new Map(features.map(({ name, edges }) => [name, edges])) };
        const windows = new Map(features.map(({ name, edges }) => [name, pointWindows(edges)]));
        scopes.set(_id, { windows, tallies: new Map(), edgeCache });
      }
      for await (const doc of tallies.find({ format: FORMAT })) {
        const scope = scopes.get(doc.scope);
        if (scope?.edgeCache.basis !== doc.basis) continue;
        // A tally may be newer than the edges: its process was killed before it saved them.
        if (doc.features.every(({ name }) => scope.windows.has(name))) {
          scope.tallies.set(doc.partition, toTally(doc));
        }
      }
      return scopes;
    },

    async save(scopes: ReadonlyMap<string, Scope>): Promise<void> {
      const ids: string[] = [];
      for (const [key, scope] of scopes) {
        const { edgeCache } = scope;
        const { basis } = edgeCache;
        // Samples may be added during the writes. A scope whose edges change meanwhile is counted again at the next start.
        const unchanged = () => scope.edgeCache === edgeCache && basisOf(scope) === basis;
        for (const [partition, tally] of scope.tallies) {
          if (!unchanged()) break;
          const _id = `${key} ${partition}`;
          ids.push(_id);
          await put({
            collection: tallies,
            key: `tally ${_id}`,
            version: `${basis} ${tally.batches} ${tally.firstBatch}:${tally.skippedRows}`,
            build: () => ({
              _id,
              format: FORMAT,
              scope: key,
              partition,
              basis,
              ...fromTally(tally, scope),
            }),
          });
        }
        if (!unchanged()) continue;
        await put({
          collection: edges,
          key: `edges ${key}`,
          version: JSON.stringify([basis, ...scope.windows.keys()]),
          build: () => ({
            _id: key,
            format: FORMAT,
            basis,
            features: [...scope.windows.keys()].map((name) => ({
              name,
              edges: edgeCache.edges.get(name) ?? [],
            })),
          }),
        });
      }
      await tallies.deleteMany({ _id: { $nin: ids } });
      await edges.deleteMany({ _id: { $nin: [...scopes.keys()] } });
    },
  };
}

export type SavedProfileStore = ReturnType<typeof savedProfileStore>;

function fromTally(
  { features, ...position }: Tally,
  { windows, edgeCache }: Scope,
): Omit<TallyDoc, '_id' | 'format' | 'scope' | 'partition' | 'basis'> {
  return {
    ...position,
    features: [...features].map(([name, { lastBatch, distribution, categories }]) => {
      const points = pointWindows(edgeCache.edges.get(name) ?? []);
      const { gaps, values, counts } = narrowTo(distribution, windows.get(name) ?? ALL_VALUES, points);
      return {
        name,
        lastBatch,
        gaps: [...gaps],
        values: [...values],
        counts: [...counts],
        words: [...categories.keys()],
        wordCounts: [...categories.values()],
      };
    }),
  };
}

const toTally = ({ set, batches, firstBatch, skippedRows, rows, features }: TallyDoc): Tally => ({
  set,
  batches,
  firstBatch,
  skippedRows,
  rows,
  features: new Map(
    features.map(({ name, lastBatch, gaps, values, counts, words, wordCounts }) => [
      name,
      {
        lastBatch,
        distribution: {
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

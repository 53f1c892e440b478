import type { Model, mongo, Schema } from 'mongoose';
import { errorCodeOf } from '../error-code.ts';

const INDEX_NOT_FOUND = 27;
/** IndexOptionsConflict and IndexKeySpecsConflict: an index with the same name has other options or keys. */
const CONFLICT_CODES = new Set<unknown>([85, 86]);

/** The part of a model that declares its collection. `Model<unknown>` itself would accept no other model. */
export interface DeclaredModel extends Pick<Model<unknown>, 'collection' | 'diffIndexes'> {
  schema: Pick<Schema, 'get' | 'indexes' | 'path'>;
  createCollection(): Promise<unknown>;
}

/** Returns the name that the driver gives an index by default. */
export const indexNameOf = (key: Record<string, unknown>): string =>
  Object.entries(key)
    .map(([field, direction]) => `${field}_${direction}`)
    .join('_');

/**
 * Creates the indexes that a model declares. Replaces an index of an earlier version with the same name and other
 * options, and keeps all others, such as the operator's own.
 */
export async function createIndexes(model: DeclaredModel): Promise<void> {
  const indexes = model.schema.indexes().map(([key, options]) => ({ key, ...options }));
  if (indexes.length === 0) return;
  // One command; `model.createIndexes` would send one per index.
  const create = () => model.collection.createIndexes(indexes as mongo.IndexDescription[]);
  try {
    await create();
  } catch (error) {
    if (!CONFLICT_CODES.has(errorCodeOf(error))) throw error;
    await dropOutdated(model);
    await create();
  }
}

async function dropOutdated(model: DeclaredModel): Promise<void> {
  const declared = new Set(model.schema.indexes().map(([key, { name = indexNameOf(key) }]) => name));
  const { toDrop } = await model.diffIndexes();
  for (const name of toDrop.filter((name) => declared.has(name)))
    await model.collection.dropIndex(name).catch((error: unknown) => {
      // Another starting process has dropped it.
      if (errorCodeOf(error) !== INDEX_NOT_FOUND) throw error;
    });
}

import mongoose from 'mongoose';
import { describe, expect, test } from 'vitest';
import { listModels, modelsOf } from '../../../src/database/models.ts';
import { shardedCollections, UNSHARDED } from '../../../src/database/sharding.ts';
import { beginsWith } from '../../../src/platform/mongo/shard-plan.ts';

const models = listModels(modelsOf(mongoose.createConnection()));
const names = models.map(({ collection }) => collection.collectionName);
const sharded = shardedCollections();

test('every collection of a model is either sharded or has a reason not to be', () => {
  const undecided = names.filter(
    (name) => UNSHARDED[name] === undefined && !sharded.some(({ collection }) => collection === name),
  );
  expect(undecided).toEqual([]);
  expect(sharded.filter(({ collection }) => UNSHARDED[collection])).toEqual([]);
});

describe.each(sharded.map((one) => [one.collection, one] as const))('%s', (name, { key, indexes }) => {
  const model = models.find(({ collection }) => collection.collectionName === name);

  test('has the tenant first in its key, and no field that a document can lack', () => {
    expect(Object.keys(key)[0]).toBe(name === 'idempotencyKeys' ? '_id' : 'customerId');
    for (const field of Object.keys(key))
      expect(field === '_id' || model?.schema.path(field)?.isRequired, field).toBe(true);
  });

  test('has only unique indexes that begin with the key', () => {
    expect(indexes.filter((index) => index.unique && !beginsWith(index, key))).toEqual([]);
  });
});

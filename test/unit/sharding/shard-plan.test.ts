import { describe, expect, test } from 'vitest';
import {
  type ClusterState,
  type ShardedCollection,
  shardPlan,
} from '../../../src/platform/mongo/shard-plan.ts';

const letters: ShardedCollection = {
  collection: 'letters',
  key: { customerId: 1, _id: 1 },
  indexes: [{ key: { customerId: 1, order: -1 } }],
};
const pages: ShardedCollection = {
  collection: 'pages',
  key: { customerId: 1, letterId: 1 },
  indexes: [{ key: { customerId: 1, letterId: 1, number: 1 }, unique: true }],
};
const keys: ShardedCollection = { collection: 'keys', key: { _id: 1 }, indexes: [] };

const cluster = (state: Partial<ClusterState> = {}): ClusterState => ({
  topology: 'sharded cluster',
  enabled: false,
  keys: new Map(),
  indexes: new Map(),
  ...state,
});

describe('without a cluster', () => {
  test('the plan is every command, indexes before the collections that need them', () => {
    const plan = shardPlan('shop', [letters, pages, keys], null);
    expect(plan.map(({ database, command }) => [database, command])).toEqual([
      ['admin', { enableSharding: 'shop' }],
      [
        'shop',
        {
          createIndexes: 'letters',
          indexes: [{ key: { customerId: 1, _id: 1 }, name: 'customerId_1__id_1' }],
        },
      ],
      ['admin', { shardCollection: 'shop.letters', key: { customerId: 1, _id: 1 }, unique: false }],
      ['admin', { shardCollection: 'shop.pages', key: { customerId: 1, letterId: 1 }, unique: false }],
      ['admin', { shardCollection: 'shop.keys', key: { _id: 1 }, unique: false }],
    ]);
    expect(new Set(plan.map(({ state }) => state))).toEqual(new Set(['pending']));
  });

  test.each([
    ['descending', { key: { customerId: 1, _id: -1 } }],
    ['partial', { key: { customerId: 1, _id: 1 }, partialFilterExpression: { open: true } }],
    ['of the same fields in another order', { key: { _id: 1, customerId: 1 } }],
  ])('an index that is %s does not replace the one of the key', (_what, index) => {
    const plan = shardPlan('shop', [{ ...letters, indexes: [index] }], null);
    expect(plan.map(({ action }) => action)).toContain('create index');
  });
});

describe('with a cluster', () => {
  test('what is in place is done, so that a second run changes nothing', () => {
    const state = cluster({
      enabled: true,
      keys: new Map([
        ['letters', letters.key],
        ['pages', pages.key],
      ]),
      indexes: new Map([['letters', [{ name: 'any', key: { customerId: 1, _id: 1 } }]]]),
    });
    expect(shardPlan('shop', [letters, pages], state).map(({ action, state }) => [action, state])).toEqual([
      ['enable sharding', 'done'],
      ['create index', 'done'],
      ['shard collection', 'done'],
      ['shard collection', 'done'],
    ]);
  });

  test('a collection with another key is a conflict that names it', () => {
    const state = cluster({ keys: new Map([['pages', { letterId: 'hashed' }]]) });
    const [step] = shardPlan('shop', [pages], state).filter(({ collection }) => collection === 'pages');
    expect(step).toMatchObject({ state: 'conflict', note: expect.stringContaining('{"letterId":"hashed"}') });
  });

  test('a unique index that does not begin with the key is dropped first', () => {
    const indexes = [
      { name: '_id_', key: { _id: 1 }, unique: true },
      { name: 'old', key: { letterId: 1, number: 1 }, unique: true },
      { name: 'new', key: { customerId: 1, letterId: 1, number: 1 }, unique: true },
    ];
    const plan = shardPlan('shop', [pages], cluster({ indexes: new Map([['pages', indexes]]) }));
    expect(plan.map(({ command }) => command)).toEqual([
      { enableSharding: 'shop' },
      { dropIndexes: 'pages', index: 'old' },
      { shardCollection: 'shop.pages', key: { customerId: 1, letterId: 1 }, unique: false },
    ]);
  });
});

import { Types } from 'mongoose';
import { describe, expect, test } from 'vitest';
import { type Command, untargetedStatements } from '../../support/sharding/shard-key-check.ts';

const KEYS = new Map([
  ['pages', ['customerId', 'letterId']],
  ['keys', ['_id']],
]);
const _id = new Types.ObjectId();
const letterId = new Types.ObjectId();
const whole = { customerId: 7, letterId };

const check = (name: string, command: Command) =>
  untargetedStatements(name, command, KEYS).map(({ collection, missing }) => [collection, ...missing]);

describe('a command that carries its shard key passes', () => {
  test.each<[string, Command]>([
    ['find', { find: 'pages', filter: { customerId: 7, number: 1 } }],
    ['find', { find: 'pages', filter: { customerId: { $in: [7, 8] } } }],
    ['find', { find: 'pages', filter: { $and: [{ customerId: { $eq: 7 } }, { number: 1 }] } }],
    ['find', { find: 'keys', filter: { _id: { $gt: '7:', $lt: '7;' } } }],
    ['find', { find: 'others', filter: {} }],
    ['count', { count: 'pages', query: { customerId: 7 } }],
    ['aggregate', { aggregate: 'pages', pipeline: [{ $match: { customerId: 7 } }, { $count: 'n' }] }],
    ['aggregate', { aggregate: 'pages', pipeline: [{ $changeStream: {} }] }],
    [
      'aggregate',
      {
        aggregate: 'others',
        pipeline: [{ $lookup: { from: 'pages', localField: 'c', foreignField: 'customerId', as: 'p' } }],
      },
    ],
    ['insert', { insert: 'pages', documents: [{ _id, ...whole }] }],
    ['update', { update: 'pages', updates: [{ q: { _id, customerId: 7 }, u: {} }] }],
    ['update', { update: 'pages', updates: [{ q: { customerId: 7, open: true }, u: {}, multi: true }] }],
    ['update', { update: 'pages', updates: [{ q: whole, u: {}, upsert: true }] }],
    ['delete', { delete: 'pages', deletes: [{ q: whole, limit: 1 }] }],
    ['findAndModify', { findAndModify: 'keys', query: { _id: 'a' }, upsert: true }],
  ])('%s %o', (name, command) => {
    expect(check(name, command)).toEqual([]);
  });
});

describe('a command that lacks a part of its shard key is reported', () => {
  test.each<[string, Command, string[]]>([
    ['find', { find: 'pages', filter: { _id } }, ['customerId']],
    ['find', { find: 'pages', filter: { customerId: { $gt: 7 } } }, ['customerId']],
    ['find', { find: 'pages', filter: { customerId: { $gt: '7:' } } }, ['customerId']],
    ['find', { find: 'pages', filter: { customerId: { $gt: '7:', $lt: '9;' } } }, ['customerId']],
    ['find', { find: 'pages', filter: { $or: [{ customerId: 7 }, { number: 1 }] } }, ['customerId']],
    ['find', { find: 'pages', filter: { customerId: undefined } }, ['customerId']],
    ['distinct', { distinct: 'pages', key: 'number', query: {} }, ['customerId']],
    [
      'aggregate',
      { aggregate: 'pages', pipeline: [{ $sort: { a: 1 } }, { $match: { customerId: 7 } }] },
      ['customerId'],
    ],
    [
      'aggregate',
      { aggregate: 1, pipeline: [{ $documents: [] }, { $lookup: { from: 'pages', pipeline: [], as: 'p' } }] },
      ['customerId'],
    ],
    ['insert', { insert: 'pages', documents: [{ _id, customerId: 7 }] }, ['letterId']],
    ['update', { update: 'pages', updates: [{ q: { _id }, u: {} }] }, ['customerId', 'letterId']],
    ['update', { update: 'pages', updates: [{ q: { customerId: 7, open: true }, u: {} }] }, ['letterId']],
    ['update', { update: 'pages', updates: [{ q: { _id, customerId: 7 }, upsert: true }] }, ['letterId']],
    ['delete', { delete: 'pages', deletes: [{ q: { letterId }, limit: 0 }] }, ['customerId']],
    ['findAndModify', { findAndModify: 'keys', query: { open: true } }, ['_id']],
  ])('%s %o', (name, command, missing) => {
    const collection = 'find' in command || !('findAndModify' in command) ? 'pages' : 'keys';
    expect(check(name, command)).toEqual([[collection, ...missing]]);
  });
});

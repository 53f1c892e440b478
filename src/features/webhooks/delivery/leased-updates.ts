import type { mongo, Types } from 'mongoose';
import { BY_ID, byIds } from '../../../platform/mongo/ids-of-tenants.ts';
import type { DeliveryDoc } from './delivery.model.ts';
import { DELIVERY_LEASE } from './lease.ts';
import { UNSTARTED } from './state.ts';
import { type DeliveryUpdate, stateFilter } from './state-updates.ts';

/** An update that only the holder of the delivery's lease may make. */
export interface LeasedUpdate {
  id: Types.ObjectId;
  customerId: number;
  endpointId: number;
  /** Token of the lease that the update is made under. */
  token: string;
  /** The update acquires the lease of a new delivery; otherwise the lease must be held. */
  acquires?: boolean;
  /** No failover undoes the update: it waits for a majority. */
  durable?: boolean;
  update: DeliveryUpdate;
}

/** Returns the token of the lease after the update; undefined if the update releases it. */
export const tokenAfter = ({ token, update }: LeasedUpdate): string | undefined =>
  update.$unset?.lease === undefined ? (update.$set?.lease ?? token) : undefined;

/** Returns the time at which the delivery is due after the update; null unless the update returns it to the queue. */
export const returnedAt = ({ update: { $set, $unset } }: LeasedUpdate): Date | null =>
  ($unset?.lease !== undefined && $set?.lane !== 'held' && $set?.dueAt) || null;

/** Returns the number of the request whose result the update records; undefined if it records none. */
export const requestOf = ({ update: { $push } }: LeasedUpdate): number | undefined =>
  $push?.attempts.$each[0].request;

/** True for the result of an attempt that a receiver accepted. */
export const isSuccess = ({ update: { $push } }: LeasedUpdate): boolean =>
  $push !== undefined && $push.attempts.$each[0].error === null;

type Operation = mongo.AnyBulkWriteOperation<DeliveryDoc>;

/**
 * Filter: none of the results is in the log of the delivery. A failover that undoes a result can give its lease back after
 * the result was logged as a late one.
 */
const unlogged = (updates: readonly LeasedUpdate[]) => {
  const requests = updates.map(requestOf).filter((request) => request !== undefined);
  return requests.length > 0 ? { 'attempts.request': { $nin: requests } } : {};
};

/** Upper bound of one combined update: each document looks its row up by a linear search. */
const MAX_COMBINED = 200;

/**
 * Returns the bulk operations of the updates.
 *
 * Results of attempts are by far the most frequent updates. Results under one lease are combined into one update, which
 * looks up the row of each document and costs the database a third of single ones. The driver does not retry such an
 * update. Repeating it is safe: like every result, it ends its lease.
 */
export function toBulkOperations(updates: LeasedUpdate[]): { combined: Operation[]; single: Operation[] } {
  const results = new Map<string, LeasedUpdate[]>();
  const single: Operation[] = [];
  for (const leased of updates) {
    const { $unset, $push } = leased.update;
    if (leased.acquires || !$push || $unset?.lease === undefined) single.push(singleOperation(leased));
    else {
      const key = `${leased.token} ${Object.keys($unset).join()}`;
      const known = results.get(key);
      if (known) known.push(leased);
      else results.set(key, [leased]);
    }
  }
  const combined = [...results.values()].flatMap((alike) => {
    const operations: Operation[] = [];
    for (let from = 0; from < alike.length; from += MAX_COMBINED)
      operations.push(combinedOperation(alike.slice(from, from + MAX_COMBINED)));
    return operations;
  });
  return { combined, single };
}

function singleOperation(leased: LeasedUpdate): Operation {
  const { id, customerId, token, acquires, update } = leased;
  const isHeld = acquires ? stateFilter(UNSTARTED) : DELIVERY_LEASE.heldBy(token);
  return {
    updateOne: {
      filter: { _id: id, customerId, ...isHeld, ...unlogged([leased]) },
      update: update as mongo.UpdateFilter<DeliveryDoc>,
      hint: BY_ID,
    },
  };
}

/**
 * Returns the operations, in their order, for a result whose lease another process may have taken over. They change
 * nothing if the result is logged already. A 2xx makes the delivery `succeeded` whatever its state, and ends the lease of
 * the other process, whose result is then late too. A failure is only logged.
 */
export function lateOperations(late: LeasedUpdate): Operation[] {
  const { id, customerId, update } = late;
  const { $set = {}, $unset = {}, $push } = update;
  if (!$push) return [];
  const [attempt] = $push.attempts.$each;
  const log = { $push: { attempts: { ...$push.attempts, $sort: { at: 1 } } } };
  const operation = (filter: object, change: object): Operation => ({
    updateOne: {
      filter: { _id: id, customerId, ...filter, ...unlogged([late]) },
      update: change,
      hint: BY_ID,
    },
  });
  // Only a replay leaves `succeeded`: between the two operations, it makes the second one log the success alone.
  return attempt.error === null
    ? [operation({ status: { $ne: 'succeeded' } }, { $set, $unset, ...log }), operation({}, log)]
    : [operation({}, log)];
}

/** One update for results that were made under the same lease and remove the same fields. */
function combinedOperation(updates: LeasedUpdate[]): Operation {
  const [first] = updates as [LeasedUpdate];
  if (updates.length === 1) return singleOperation(first);
  const ids = updates.map(({ id }) => id);
  const rows = updates.map(({ update }) => ({
    set: update.$set ?? {},
    attempts: update.$push?.attempts.$each,
  }));
  const kept = first.update.$push?.attempts.$slice;
  return {
    updateMany: {
      filter: {
        ...byIds(updates.map(({ id: _id, customerId }) => ({ _id, customerId }))),
        ...DELIVERY_LEASE.heldBy(first.token),
        ...unlogged(updates),
      },
      hint: BY_ID,
      update: [
        {
          $set: {
            row: { $arrayElemAt: [{ $literal: rows }, { $indexOfArray: [{ $literal: ids }, '$_id'] }] },
          },
        },
        {
          $replaceWith: {
            $mergeObjects: [
              '$$ROOT',
              '$row.set',
              { attempts: { $slice: [{ $concatArrays: ['$attempts', '$row.attempts'] }, kept] } },
            ],
          },
        },
        { $unset: ['row', ...Object.keys(first.update.$unset ?? {})] },
      ],
    },
  };
}

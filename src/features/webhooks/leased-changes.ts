import type { mongo, Types } from 'mongoose';
import type { DeliveryDoc } from './webhooks.model.ts';

/** A change of a delivery that only one process may make. */
export interface LeasedChange {
  id: Types.ObjectId;
  /** The lease that it is made under. */
  token: string;
  /** It takes the lease, of a delivery that nobody has; else the lease has to be held already. */
  takes?: boolean;
  change: {
    $set?: Partial<DeliveryDoc>;
    $unset?: Record<string, ''>;
    /** An attempt that was made; of too many the oldest go. */
    $push?: ReturnType<typeof pushAttempt>;
  };
}

type Attempt = DeliveryDoc['attempts'][number];
type Operation = mongo.AnyBulkWriteOperation<DeliveryDoc>;

/** Attempts kept with a delivery; more come about only by resending and recovering again and again. */
const ATTEMPTS_KEPT = 100;
/** A change is looked up in the list of its kind by going through it: more than this would cost more than it saves. */
const MAX_ALIKE = 200;

/** The part of a result's write that records the attempt. */
export const pushAttempt = (attempt: Attempt) => ({
  attempts: { $each: [attempt], $slice: -ATTEMPTS_KEPT },
});

/**
 * The operations that make the changes. Those that record an attempt and give the lease up are most by far; all that
 * were made under one lease become one update that looks up what belongs to each delivery: it costs the database a
 * third of as many single ones. A driver does not try such an update again by itself, but giving up the lease makes
 * it safe to repeat. Every other change is an update of its own.
 */
export function byKind(changes: LeasedChange[]): { alike: Operation[]; others: Operation[] } {
  const results = new Map<string, LeasedChange[]>();
  const others: Operation[] = [];
  for (const change of changes) {
    const { $unset, $push } = change.change;
    if (change.takes || !$push || $unset?.lease === undefined) others.push(single(change));
    else {
      const kind = `${change.token} ${Object.keys($unset).join()}`;
      const known = results.get(kind);
      if (known) known.push(change);
      else results.set(kind, [change]);
    }
  }
  const alike = [...results.values()].flatMap((ofKind) => {
    const operations: Operation[] = [];
    for (let from = 0; from < ofKind.length; from += MAX_ALIKE)
      operations.push(together(ofKind.slice(from, from + MAX_ALIKE)));
    return operations;
  });
  return { alike, others };
}

const single = ({ id, token, takes, change }: LeasedChange): Operation => ({
  updateOne: {
    filter: takes
      ? { _id: id, status: 'pending', attempt: 0, lease: { $exists: false } }
      : { _id: id, lease: token },
    update: change as mongo.UpdateFilter<DeliveryDoc>,
  },
});

/** One update for results under the same lease that take the same fields away. */
function together(changes: LeasedChange[]): Operation {
  const [{ token, change: first }] = changes as [LeasedChange];
  if (changes.length === 1) return single(changes[0] as LeasedChange);
  const ids = changes.map(({ id }) => id);
  const rows = changes.map(({ change }) => ({
    set: change.$set ?? {},
    attempts: change.$push?.attempts.$each,
  }));
  return {
    updateMany: {
      filter: { _id: { $in: ids }, lease: token },
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
              {
                attempts: { $slice: [{ $concatArrays: ['$attempts', '$row.attempts'] }, -ATTEMPTS_KEPT] },
              },
            ],
          },
        },
        { $unset: ['row', ...Object.keys(first.$unset ?? {})] },
      ],
    },
  };
}

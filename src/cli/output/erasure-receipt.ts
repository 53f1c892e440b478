import type { Erasure } from '../../features/erasure/erasure.service.ts';
import { count, fields, timestamp } from './text-output.ts';

/** Returns the text of the receipt of an erasure or a deletion, without counts of 0. */
export const receiptText = (
  name: 'Erasure' | 'Deletion',
  {
    id,
    status,
    dryRun,
    startedAt,
    finishedAt,
    error,
  }: Pick<Erasure, 'id' | 'status' | 'dryRun' | 'startedAt' | 'finishedAt' | 'error'>,
  counts: (readonly [label: string, count: number])[],
): string =>
  fields({
    [name]: id,
    Status: dryRun ? `${status} (dry run)` : status,
    Started: timestamp(startedAt),
    Ended: timestamp(finishedAt),
    ...(error !== null && { Error: error }),
    ...Object.fromEntries(counts.filter(([, n]) => n > 0).map(([label, n]) => [label, count(n)])),
  });

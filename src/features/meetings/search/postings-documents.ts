import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { Hash } from '../../privacy/personal-fields.ts';
import type { PostingsDoc } from './search-index.model.ts';

/** Bucket of the start times, which no word can have. */
export const TIMES_BUCKET = '';
const GROUP_DIGITS = 7;
/** Length of a hashed bucket; a plain one has up to three characters. */
const HASHED_LENGTH = 32;
const HASHED_ID = new RegExp(`^\\d+:[0-9a-f]{${HASHED_LENGTH}}:`);

export const groupDigits = (group: number): string => String(group).padStart(GROUP_DIGITS, '0');
export const groupOf = (id: string): number => Number(id.slice(-GROUP_DIGITS));

export const postingsId = ({ customerId }: TenantRef, bucket: string, group: number): string =>
  `${customerId}:${bucket}:${groupDigits(group)}`;

/** Range of the ids of a bucket: `;` is the character after `:`. */
export const idRange = (customerId: number, bucket: string) => ({
  $gte: `${customerId}:${bucket}:`,
  $lt: `${customerId}:${bucket};`,
});

/** Returns the name of a bucket while its parts are encrypted; start times are plain. */
export const hashedBucket = (hash: Hash, bucket: string): string =>
  bucket === TIMES_BUCKET
    ? bucket
    : hash({ type: 'search bucket', identifier: bucket }).slice(0, HASHED_LENGTH);

export const hasHashedBucket = (id: string): boolean => HASHED_ID.test(id);
export const hasWords = (id: string): boolean => !id.includes(`:${TIMES_BUCKET}:`);

/** Upsert that appends the parts of a document to those that are stored. */
export const appending = ({ customerId, _id, parts }: PostingsDoc) => ({
  updateOne: {
    filter: { customerId, _id },
    update: { $push: { parts: { $each: parts } } },
    upsert: true,
  },
});

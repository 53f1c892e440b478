/**
 * Binary format of the search index (ADR 13). Each meeting has an ordinal; `GROUP_SIZE` consecutive ordinals form a group.
 * A part holds the words of one batch that fall into one bucket. For each word: its length (16 bits), its UTF-8 bytes, the
 * length of its postings (32 bits), and the postings. A posting is the offset in the group with a mask of fields (16
 * bits), followed by the first matching segment (16 bits) if the word occurs in the transcript.
 */

const OFFSET_BITS = 10;
export const GROUP_SIZE = 1 << OFFSET_BITS;
export const groupOfOrdinal = (ordinal: number): number => Math.floor(ordinal / GROUP_SIZE);
const MAX_SEGMENT = 0xffff;
/** A word's first characters, which name its bucket. */
const BUCKET_LENGTH = 3;
/** Words of one meeting in one bucket, so that a bucket's document stays below the database's 16 MB. */
const MAX_WORDS_PER_BUCKET = 64;
const PREFIX_MARK = '*';
/** Words that are counted at a time: a customer can have millions that begin alike. */
const MAX_COUNTED_WORDS = 20_000;

/** Fields of a meeting, as bits of a mask. */
export const IN_TITLE = 1;
export const IN_SUMMARY = 2;
export const IN_TRANSCRIPT = 4;

/**
 * The fields that contain a word and the first transcript segment with it, packed into a number: a transcript has
 * thousands of words, and an object for each would survive several garbage collections.
 */
export type Occurrence = number;

const FIELD_BITS = 3;
const ALL_FIELDS = (1 << FIELD_BITS) - 1;

/** Adds an occurrence of a word to earlier ones in the same meeting. */
export function withOccurrence(former: Occurrence | undefined, field: number, segment: number): Occurrence {
  if (former === undefined) return field | (segment << FIELD_BITS);
  // The transcript comes last, and its first segment counts.
  return former & field ? former : (former & ALL_FIELDS) | field | (segment << FIELD_BITS);
}

/** Postings by bucket and word, for one batch and one group. */
export type Batch = Map<string, Map<string, number[]>>;

/** Counts characters as code points. */
function beginningOf(word: string, characters: number): string {
  let end = 0;
  for (let count = 0; count < characters && end < word.length; count += 1)
    end += (word.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return word.slice(0, end);
}

/** Returns the bucket of a word or of a prefix. */
export const bucketOf = (word: string): string => beginningOf(word, BUCKET_LENGTH);

/** Returns the bucket of the words of a part. A word such as `a@*` is taken for a prefix, since it is no address. */
export function bucketOfPart(part: Buffer): string {
  const word = part.toString('utf8', 2, 2 + part.readUInt16LE(0));
  const bucket = bucketOf(word);
  return bucket === word && word.endsWith(PREFIX_MARK) ? word.slice(0, -PREFIX_MARK.length) : bucket;
}

function addPosting(batch: Batch, bucket: string, word: string, posting: number[]): void {
  const words = batch.get(bucket) ?? new Map<string, number[]>();
  batch.set(bucket, words);
  const postings = words.get(word);
  if (postings) postings.push(...posting);
  else words.set(word, posting);
}

/** Adds the words of a meeting to a batch. */
export function addToBatch(batch: Batch, offset: number, words: ReadonlyMap<string, Occurrence>): void {
  const perBucket = new Map<string, number>();
  /** Prefixes that are shorter than a bucket's name. They end with a mark that only email addresses contain. */
  const beginnings = new Map<string, number>();
  for (const [word, occurrence] of words) {
    const fields = occurrence & ALL_FIELDS;
    const bucket = bucketOf(word);
    const count = perBucket.get(bucket) ?? 0;
    if (count === MAX_WORDS_PER_BUCKET) continue;
    perBucket.set(bucket, count + 1);
    const posting = [offset | (fields << OFFSET_BITS)];
    if (fields & IN_TRANSCRIPT) posting.push(Math.min(occurrence >> FIELD_BITS, MAX_SEGMENT));
    addPosting(batch, bucket, word, posting);
    const short = fields & (IN_TITLE | IN_SUMMARY);
    if (short === 0) continue;
    for (let length = 1; length < BUCKET_LENGTH; length += 1) {
      const beginning = beginningOf(word, length);
      if (beginning === word) break;
      beginnings.set(beginning, (beginnings.get(beginning) ?? 0) | short);
    }
  }
  for (const [beginning, fields] of beginnings)
    addPosting(batch, beginning, `${beginning}${PREFIX_MARK}`, [offset | (fields << OFFSET_BITS)]);
}

export function encodePart(words: ReadonlyMap<string, readonly number[]>): Buffer {
  let size = 0;
  const entries = [...words].map(([word, postings]) => {
    const bytes = Buffer.from(word);
    size += 2 + bytes.length + 4 + 2 * postings.length;
    return { bytes, postings };
  });
  const part = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { bytes, postings } of entries) {
    at = part.writeUInt16LE(bytes.length, at);
    at += bytes.copy(part, at);
    at = part.writeUInt32LE(2 * postings.length, at);
    for (const value of postings) at = part.writeUInt16LE(value, at);
  }
  return part;
}

/** Matches of one term in one group, by offset. */
export interface TermMatches {
  /** Fields with the term as a word, and, shifted by `PREFIX_SHIFT`, fields with a word that begins with it. */
  fields: Uint8Array;
  /** If the transcript matches: the first segment with the term, or else with a word that begins with it. */
  segments: Uint16Array;
}

export const PREFIX_SHIFT = 3;
const IN_TRANSCRIPT_AT_ALL = IN_TRANSCRIPT | (IN_TRANSCRIPT << PREFIX_SHIFT);

/** Positions in a part. */
interface Entry {
  word: number;
  length: number;
  start: number;
  end: number;
}

/** Yields the words of a part that begin with a term. */
function* entriesOf(part: Buffer, term: Buffer): Generator<Entry> {
  for (let at = 0; at < part.length; ) {
    const length = part.readUInt16LE(at);
    const word = at + 2;
    const start = word + length + 4;
    at = start + part.readUInt32LE(word + length);
    if (length < term.length) continue;
    // Compares from the end: all words of a bucket begin alike.
    let compared = term.length - 1;
    while (compared >= 0 && part[word + compared] === term[compared]) compared -= 1;
    if (compared < 0) yield { word, length, start, end: at };
  }
}

/** Adds the postings of the words that begin with a term to its matches. */
export function readPart(part: Buffer, term: Buffer, { fields, segments }: TermMatches): void {
  for (const { length, start, end } of entriesOf(part, term)) {
    const isWhole = length === term.length;
    const shift = isWhole ? 0 : PREFIX_SHIFT;
    for (let at = start; at < end; at += 2) {
      const posting = part.readUInt16LE(at);
      const offset = posting & (GROUP_SIZE - 1);
      const inFields = posting >> OFFSET_BITS;
      const known = fields[offset] ?? 0;
      fields[offset] = known | (inFields << shift);
      if ((inFields & IN_TRANSCRIPT) === 0) continue;
      at += 2;
      if (isWhole || (known & IN_TRANSCRIPT_AT_ALL) === 0) segments[offset] = part.readUInt16LE(at);
    }
  }
}

/** Removes the rarest words until half of the maximum is left. */
function removeRare(counts: Map<string, number>): void {
  for (let rarest = 1; counts.size > MAX_COUNTED_WORDS / 2; rarest += 1)
    for (const [word, count] of counts) {
      if (count <= rarest) counts.delete(word);
      if (counts.size <= MAX_COUNTED_WORDS / 2) return;
    }
}

/**
 * Counts the meetings per word that begins with a term and occurs outside of transcripts. Beyond the maximum of counted
 * words, the rarest ones are counted from 0 again, so that the most frequent ones stay.
 */
export function countWords(part: Buffer, term: Buffer, counts: Map<string, number>): void {
  for (const { word, length, start, end } of entriesOf(part, term)) {
    let count = 0;
    for (let at = start; at < end; at += 2) {
      const fields = part.readUInt16LE(at) >> OFFSET_BITS;
      if (fields & (IN_TITLE | IN_SUMMARY)) count += 1;
      if (fields & IN_TRANSCRIPT) at += 2;
    }
    if (count === 0) continue;
    const text = part.toString('utf8', word, word + length);
    counts.set(text, (counts.get(text) ?? 0) + count);
    if (counts.size > MAX_COUNTED_WORDS) removeRare(counts);
  }
}

const TIME_BYTES = 10;

/** Encodes start times, which order meetings with equal scores. */
export function encodeTimes(times: readonly { offset: number; startedAt: Date }[]): Buffer {
  const part = Buffer.allocUnsafe(times.length * TIME_BYTES);
  for (const [index, { offset, startedAt }] of times.entries()) {
    part.writeUInt16LE(offset, index * TIME_BYTES);
    part.writeDoubleLE(startedAt.getTime(), index * TIME_BYTES + 2);
  }
  return part;
}

/** Writes start times into `times`, by offset. Milliseconds since 1970. */
export function readTimes(part: Buffer, times: Float64Array): void {
  for (let at = 0; at < part.length; at += TIME_BYTES)
    times[part.readUInt16LE(at)] = part.readDoubleLE(at + 2);
}

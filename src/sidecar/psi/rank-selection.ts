/** Leading bits of a number that choose its bucket: sign, exponent and six bits of the fraction. */
const BUCKET_BITS = 18;
const BUCKETS = 1 << BUCKET_BITS;
/** Up to here sorting is quicker than looking at buckets. */
const SORTED_BELOW = 8_192;

/** The bucket of a number, by the upper half of its 64 bits; in the order of the numbers themselves. */
const bucketOf = (upper: number): number => (upper ^ ((upper >> 31) | 0x8000_0000)) >>> (32 - BUCKET_BITS);

/**
 * The values that would stand at some ranks if all were sorted: exact, without sorting more than the few buckets
 * that hold a wanted rank. A million numbers take a tenth of the time that sorting them does.
 * @param values none of them NaN; left as they are
 * @param ranks whole numbers below `values.length`
 * @returns the value of each rank
 */
export function valuesAtRanks(values: Float64Array, ranks: readonly number[]): Map<number, number> {
  if (values.length <= SORTED_BELOW) {
    const sorted = values.slice().sort();
    return new Map(ranks.map((rank) => [rank, sorted[rank] as number]));
  }
  // Little-endian, as every platform of Node is.
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const counts = new Uint32Array(BUCKETS);
  for (let at = 1; at < halves.length; at += 2) {
    const bucket = bucketOf(halves[at] as number);
    counts[bucket] = (counts[bucket] as number) + 1;
  }

  const wanted = new Uint8Array(BUCKETS);
  const positions = new Map<number, number>();
  const sortedRanks = [...new Set(ranks)].sort((a, b) => a - b);
  let below = 0;
  let kept = 0;
  let next = 0;
  for (let bucket = 0; next < sortedRanks.length; bucket += 1) {
    const count = counts[bucket] as number;
    for (; (sortedRanks[next] ?? Number.POSITIVE_INFINITY) < below + count; next += 1) {
      const rank = sortedRanks[next] as number;
      positions.set(rank, kept + rank - below);
      wanted[bucket] = 1;
    }
    if (wanted[bucket]) kept += count;
    below += count;
  }

  const candidates = new Float64Array(kept);
  let filled = 0;
  for (let index = 0; index < values.length; index += 1) {
    if (!wanted[bucketOf(halves[index * 2 + 1] as number)]) continue;
    candidates[filled] = values[index] as number;
    filled += 1;
  }
  candidates.sort();
  return new Map([...positions].map(([rank, position]) => [rank, candidates[position] as number]));
}

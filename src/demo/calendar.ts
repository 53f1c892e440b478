import type { Random } from './random.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** Conversations of each hour (UTC), relative to each other: office hours, with a break at noon. */
const HOURS = [1, 0, 0, 0, 0, 1, 3, 8, 18, 26, 28, 22, 14, 20, 27, 25, 19, 12, 8, 6, 5, 4, 2, 1];

const isWeekend = (at: number): boolean => [0, 6].includes(new Date(at).getUTCDay());

/**
 * Moments of the past at which people start to talk, oldest first: on weekdays, by day, and more often of late.
 *
 * @param days how far back
 * @param latest none is later
 */
export function pastMoments(random: Random, count: number, days: number, latest: Date): Date[] {
  const today = Math.floor(latest.getTime() / DAY) * DAY;
  const hours = HOURS.map((weight, hour) => ({ hour, weight }));
  const [first, ...others] = hours;
  const moments: number[] = [];
  while (first && moments.length < count) {
    // The smaller of two is more likely to be small: the last weeks are busier than the first.
    const back = Math.floor(Math.min(random.between(0, days), random.between(0, days * 1.8)));
    const day = today - back * DAY;
    if (isWeekend(day) && !random.chance(0.2)) continue;
    const { hour } = random.weighted([first, ...others]);
    const at = day + Math.floor((hour + random.between(0, 1)) * 60 * MINUTE);
    if (at <= latest.getTime() && at > latest.getTime() - days * DAY) moments.push(at);
  }
  return moments.sort((a, b) => a - b).map((at) => new Date(at));
}

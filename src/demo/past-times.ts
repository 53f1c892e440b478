import type { Random } from './seeded-random.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Relative number of conversations per hour of the day (UTC): office hours with a break at noon. */
const HOUR_WEIGHTS = [1, 0, 0, 0, 0, 1, 3, 8, 18, 26, 28, 22, 14, 20, 27, 25, 19, 12, 8, 6, 5, 4, 2, 1];
const WEEKEND_SHARE = 0.2;

const isWeekend = (at: number): boolean => [0, 6].includes(new Date(at).getUTCDay());

/**
 * Returns start times within the `days` before `latest`, oldest first: mostly on weekdays and during office hours, and denser
 * toward `latest`.
 */
export function pastTimes(
  random: Random,
  { count, days, latest }: { count: number; days: number; latest: Date },
): Date[] {
  const today = Math.floor(latest.getTime() / DAY_MS) * DAY_MS;
  const hours = HOUR_WEIGHTS.map((weight, hour) => ({ hour, weight }));
  const [first, ...rest] = hours;
  const times: number[] = [];
  while (first && times.length < count) {
    // The minimum of two samples favors small values, so that recent weeks are busier.
    const daysAgo = Math.floor(Math.min(random.between(0, days), random.between(0, days * 1.8)));
    const day = today - daysAgo * DAY_MS;
    if (isWeekend(day) && !random.chance(WEEKEND_SHARE)) continue;
    const { hour } = random.weighted([first, ...rest]);
    const at = day + Math.floor((hour + random.between(0, 1)) * HOUR_MS);
    if (at <= latest.getTime() && at > latest.getTime() - days * DAY_MS) times.push(at);
  }
  return times.sort((a, b) => a - b).map((at) => new Date(at));
}

import { describe, expect, test } from 'vitest';
import { plotOf, ticksTo } from '../../../src/console/components/chart/scale.ts';

describe('the ticks of a chart', () => {
  test.each([
    [0.08, 0, [0, 0.02, 0.04, 0.06, 0.08]],
    [1.745, 0, [0, 0.5, 1, 1.5, 2]],
    [3, 1, [0, 1, 2, 3]],
    [4_300, 0, [0, 1_000, 2_000, 3_000, 4_000, 5_000]],
    [0, 0, [0, 1]],
  ])('up to %d with steps of at least %d', (highest, minStep, expected) => {
    expect(ticksTo(highest, minStep)).toEqual(expected);
  });

  test('are at most seven, reach the highest value and are whole numbers for counts', () => {
    for (let highest = 1; highest < 10_000; highest += 7) {
      const ticks = ticksTo(highest, 1);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest);
      expect(ticks.every(Number.isInteger)).toBe(true);
    }
  });
});

test('the plot of a chart has 0 at its bottom and the highest tick at its top', () => {
  const plot = plotOf({ left: 60, right: 260, top: 10, bottom: 110 }, 4);
  expect([plot.y(0), plot.y(1), plot.y(4)]).toEqual([110, 85, 10]);
  expect([plot.x(0), plot.x(0.5), plot.x(1)]).toEqual([60, 160, 260]);
});

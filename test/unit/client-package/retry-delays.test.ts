import { expect, onTestFinished, test, vi } from 'vitest';
import { EngagementClient } from '../../../packages/client/src/index.ts';

/** Half a second, doubled each time, up to the maximum. Milliseconds. */
const LONGEST_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 8_000];

test('retries wait for the delay of the documentation, shortened by up to half', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const requestedAt: number[] = [];
  const client = new EngagementClient({
    ...{ baseUrl: 'http://127.0.0.1', apiKey: 'eg_r_x', maxRetries: LONGEST_DELAYS_MS.length },
    async fetch() {
      requestedAt.push(Date.now());
      return new Response(null, { status: 503 });
    },
  });
  const listing = client.eventTypes.list().catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await listing).toMatchObject({ status: 503 });
  const delays = requestedAt.slice(1).map((at, index) => at - (requestedAt[index] ?? 0));
  expect(delays).toHaveLength(LONGEST_DELAYS_MS.length);
  for (const [index, longest] of LONGEST_DELAYS_MS.entries()) {
    expect(delays[index]).toBeGreaterThanOrEqual(longest / 2 - 1);
    expect(delays[index]).toBeLessThanOrEqual(longest);
  }
});

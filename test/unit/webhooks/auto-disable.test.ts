import { expect, test } from 'vitest';
import {
  type AutoDisable,
  createAutoDisable,
} from '../../../src/features/webhooks/endpoints/auto-disable.ts';
import type { EndpointDoc } from '../../../src/features/webhooks/endpoints/endpoint.model.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';

test('flushes do not accumulate while one hangs, and the next one writes what was counted meanwhile', async () => {
  const hanging = Promise.withResolvers<null>();
  const written: number[] = [];
  const endpoints = {
    current: () => hanging.promise,
    endFailures: async (ended: EndpointDoc[]) => void written.push(...ended.map(({ id }) => id)),
  };
  const autoDisable: AutoDisable = createAutoDisable({
    endpoints: endpoints as never,
    cancelBacklog: async () => 0,
    performDisabling: (_disabling, disable) => disable(),
    recoverOutage: async () => true,
    delays: [1, 2, 3],
    clock: systemClock,
    log: createLogger('silent'),
    random: () => 0.5,
  });
  const endpoint = (id: number) => ({ id, customerId: 1, targetToken: 'token' }) as EndpointDoc;
  autoDisable.succeeded(endpoint(1));
  const first = autoDisable.flush();
  await Promise.resolve();
  const waiting = Array.from({ length: 20 }, () => autoDisable.flush());
  autoDisable.succeeded(endpoint(2));
  expect(new Set([first, ...waiting]).size).toBeLessThanOrEqual(2);
  hanging.resolve(null);
  await Promise.all([first, ...waiting]);
  expect(written).toEqual([1, 2]);
});

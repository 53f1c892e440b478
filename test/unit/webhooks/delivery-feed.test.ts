import { Types } from 'mongoose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDeliveryFeed } from '../../../src/features/webhooks/delivery/delivery-feed.ts';

test('the payload of an event is read again for changes that do not follow within seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // The object that the cache has imported.
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  onTestFinished(() => {
    now.mockRestore();
    vi.useRealTimers();
  });
  const listeners = new Map<string, (document: object, id: string) => void>();
  let reads = 0;
  const feed = await createDeliveryFeed({
    changes: {
      opened: async () => {},
      listen: (collection: string, _id: unknown, { onChange }: { onChange: never }) => {
        listeners.set(collection, onChange);
        return () => {};
      },
    } as never,
    events: {
      async viewPayload() {
        reads += 1;
        return `{"read":${reads}}`;
      },
    },
    deliveries: { decrypt: async (document) => document },
  }).subscribe(
    { keyId: 'k', tenant: null, session: null, expiresAt: null } as never,
    { customerId: 7 } as never,
    {
      endpointId: undefined,
    },
  );
  const delivery = {
    ...{ customerId: 7, endpointId: 1, event: 'conversion.recorded', status: 'succeeded', attempt: 1 },
    ...{ eventId: new Types.ObjectId(), attempts: [], lane: 'done', createdAt: new Date() },
  };
  let changes = 0;
  const payload = async (): Promise<unknown> => {
    changes += 1;
    listeners.get('webhookDeliveries')?.({ ...delivery, _id: new Types.ObjectId() }, `c${changes}`);
    const { value } = await feed.next();
    return (await value.value.detail())?.payload;
  };
  expect([await payload(), await payload()]).toEqual(['{"read":1}', '{"read":1}']);
  now.mockReturnValue(61_000);
  vi.advanceTimersByTime(60_000);
  expect(await payload()).toBe('{"read":2}');
  await feed.return();
});

import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import type { DeliveryDoc } from '../../../src/features/webhooks/delivery/delivery.model.ts';
import { searchPayloads } from '../../../src/features/webhooks/delivery/payload-search.ts';

const deliveries = (count: number): DeliveryDoc[] =>
  Array.from({ length: count }, () => {
    const ids = { _id: new Types.ObjectId(), eventId: new Types.ObjectId() };
    return { ...ids, event: 'conversation.started' } as DeliveryDoc;
  });

test('a search reads no further window once its client has gone', async () => {
  const client = new AbortController();
  let reads = 0;
  const search = searchPayloads({
    filter: { text: 'zoe', signal: client.signal },
    before: null,
    limit: 10,
    async readBefore(_before, limit) {
      reads += 1;
      if (reads === 2) client.abort(new Error('gone'));
      return deliveries(limit);
    },
    events: { payloads: async () => ({ readable: new Map(), unreadable: new Set() }) as never },
  });
  await expect(search).rejects.toThrow('gone');
  expect(reads).toBe(2);
});

import { expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { startAppWithFailpoints } from '../support/app-with-failpoints.ts';
import { deliveriesOf, deliveryLike, listening, postConversion } from './support.ts';

const { app, mongo } = await startAppWithFailpoints();

/** Time within which results of other tenants are written; a shared write is given up after a second. */
const IN_TIME_MS = 30_000;

test('a result that the database refuses holds neither other tenants nor the other results of its own', async () => {
  const refused = await listening(app, { status: 200, delayMs: 1_500 });
  await postConversion(app, refused.tenant);
  await refused.receiver.waitFor(1);
  // No result can be added to it.
  await app.models.Delivery.collection.updateOne(
    { endpointId: refused.endpoint.id },
    { $set: { attempts: 'not a list' } },
  );
  const other = await listening(app, { status: 200, delayMs: 1_500 });
  await Promise.all([refused, refused, other].map(({ tenant }) => postConversion(app, tenant)));
  await Promise.all([refused.receiver.waitFor(3), other.receiver.waitFor(1)]);
  await eventually(async () => {
    const succeeded = await Promise.all(
      [refused, other].map(({ tenant, endpoint }) =>
        deliveriesOf(app, tenant, endpoint, '?status=succeeded'),
      ),
    );
    return succeeded.map(({ length }) => length).join() === '2,1';
  });
});

test('a write that hangs holds the results of other tenants for about a second', async () => {
  const [hanging, other] = [await listening(app), await listening(app)];
  await mongo.failCommands({
    commands: ['update'],
    collection: 'webhookDeliveries',
    failure: { blockConnection: true, blockTimeMS: IN_TIME_MS + 10_000 },
    times: 1,
  });
  await postConversion(app, hanging.tenant);
  await hanging.receiver.waitFor(1);
  const startedAt = performance.now();
  await postConversion(app, other.tenant);
  for (const { tenant, endpoint } of [hanging, other])
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
  expect(performance.now() - startedAt).toBeLessThan(IN_TIME_MS);
});

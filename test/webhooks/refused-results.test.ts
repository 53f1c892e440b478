import { mongo as driver } from 'mongoose';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { startAppWithFailpoints } from '../support/app-with-failpoints.ts';
import { deliveriesOf, deliveryLike, listening, postConversion } from './support.ts';

const { app, mongo } = await startAppWithFailpoints();

/** Longer than the test waits for results. */
const HANG_MS = 40_000;

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
  const written = await eventually(async () => {
    const succeeded = await Promise.all(
      [refused, other].map(({ tenant, endpoint }) =>
        deliveriesOf(app, tenant, endpoint, '?status=succeeded'),
      ),
    );
    return succeeded.map(({ length }) => length).join() === '2,1' && succeeded.flat();
  });
  // A result that waits for the refused one is late: its lease expires, and the delivery is sent again.
  expect(written.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
});

test('while a write hangs, its results and those of other tenants are written without it', async () => {
  const [hanging, other] = [await listening(app), await listening(app)];
  await mongo.failCommands({
    commands: ['update'],
    collection: 'webhookDeliveries',
    failure: { blockConnection: true, blockTimeMS: HANG_MS },
    times: 1,
  });
  const firstUpdate = watchFirstUpdate();
  await postConversion(app, hanging.tenant);
  await hanging.receiver.waitFor(1);
  await postConversion(app, other.tenant);
  for (const { tenant, endpoint } of [hanging, other])
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
  expect(firstUpdate()).toBe('in progress');
});

type UpdateState = 'not sent' | 'in progress' | 'over';

/** Watches the first update of deliveries that the service sends from now on. */
function watchFirstUpdate(): () => UpdateState {
  const { bulkWrite } = driver.Collection.prototype;
  let state: UpdateState = 'not sent';
  const end = () => {
    state = 'over';
  };
  driver.Collection.prototype.bulkWrite = function (operations, options) {
    const written = bulkWrite.call(this, operations, options);
    const isUpdate = operations.some((one) => 'updateOne' in one || 'updateMany' in one);
    if (state === 'not sent' && isUpdate && this.collectionName === 'webhookDeliveries') {
      state = 'in progress';
      written.then(end, end);
    }
    return written;
  };
  onTestFinished(() => {
    driver.Collection.prototype.bulkWrite = bulkWrite;
  });
  return () => state;
}

import { expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { startAppWithFailpoints } from '../support/app-with-failpoints.ts';
import { deliveryLike, listening, postConversion } from './support.ts';

/** Error code of a write concern that was not satisfied in time: the write itself was applied. */
const WRITE_CONCERN_FAILED = 64;

const { app, mongo } = await startAppWithFailpoints();

/** The next writes of results are applied, and report an error, so that they are repeated. */
const repeatResults = (times: number) =>
  mongo.failCommands({
    commands: ['update'],
    collection: 'webhookDeliveries',
    failure: {
      writeConcernError: { code: WRITE_CONCERN_FAILED, errmsg: 'waiting for replication timed out' },
    },
    times,
  });

test('a repeated write of the result that attempt 2 follows logs the attempt once', async () => {
  const { tenant, endpoint, receiver } = await listening(app, (_request, index) => (index === 0 ? 500 : 200));
  await repeatResults(2);
  await postConversion(app, tenant);
  const { id } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
  await mongo.failCommands('off');
  const { body } = await app.request('GET', `${endpoint.path}/deliveries/${id}`, { key: tenant.read });
  expect(receiver.received).toHaveLength(2);
  expect(body).toMatchObject({ attempt: 2, attempts: [{ error: 'http_500' }, { error: null }] });
});

test('a result that is written again does not end a resend that began meanwhile', async () => {
  const { tenant, endpoint, receiver } = await listening(app);
  // The first repetition follows at once, the second one after a pause.
  await repeatResults(2);
  await postConversion(app, tenant);
  const { id } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
  // Longer than the pause before the write is repeated.
  receiver.behave({ status: 500, delayMs: 1_500 });
  const path = `${endpoint.path}/deliveries/${id}`;
  expect((await app.request('POST', `${path}/resend`, { key: tenant.write })).status).toBe(202);
  await receiver.waitFor(2);
  const attempts = await eventually(async () => {
    const { body } = await app.request('GET', path, { key: tenant.read });
    const logged = body.attempts as unknown as Record<string, unknown>[];
    return logged.length > 1 && logged;
  });
  await mongo.failCommands('off');
  expect(attempts).toMatchObject([
    { manual: false, error: null },
    { manual: true, error: 'http_500' },
  ]);
});

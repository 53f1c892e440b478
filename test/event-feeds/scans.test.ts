import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventLogStore } from '../../src/features/event-feeds/event-log.store.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

test('the scan of a log belongs to the sequencer that took it over last, and leaves what retention has noted', async () => {
  const logs = eventLogStore(app.models, app.clock);
  const { EventLog } = app.models;
  const _id = 7;
  await EventLog.create({ _id, scannedUntil: null, isComplete: false, removedUntil: 0 });
  const session = await EventLog.db.startSession();
  await logs.takeScans('paused', session);
  const [stale] = await logs.logs(session);
  await logs.markRemoved([
    { _id: newObjectId(app.clock.now()), customerId: _id, event: 'conversation.started', sequence: 5 },
  ]);

  await logs.takeScans('successor', session);
  const scannedUntil = newObjectId(app.clock.now());
  expect(await logs.saveScan('successor', { _id, scannedUntil, isComplete: true })).toBe(true);
  for (const isComplete of [false, true])
    expect(await logs.saveScan('paused', { ...stale, _id, scannedUntil: null, isComplete })).toBe(false);
  await session.endSession();
  expect(await EventLog.findById(_id).lean()).toMatchObject({
    ...{ scannedUntil, isComplete: true, removedUntil: 5 },
  });
});

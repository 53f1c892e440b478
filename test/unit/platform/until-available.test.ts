import { mongo } from 'mongoose';
import { expect, test } from 'vitest';
import { untilAvailable } from '../../../src/platform/mongo/until-available.ts';

/** An action that fails a number of times, and the number of its calls. */
function failing(times: number, error: Error) {
  let calls = 0;
  return {
    calls: () => calls,
    async action() {
      calls += 1;
      if (calls <= times) throw error;
    },
  };
}

test.each([
  ['an election', new mongo.MongoServerError({ code: 10_107, errmsg: 'not primary' })],
  [
    'a busy pool of connections',
    Object.assign(new Error('Timed out while checking out a connection'), {
      name: 'MongoWaitQueueTimeoutError',
    }),
  ],
])('an action of the start is repeated after %s', async (_name, error) => {
  const { action, calls } = failing(2, error);
  await untilAvailable(action);
  expect(calls()).toBe(3);
});

test('an action that fails for another reason ends the start at once', async () => {
  const { action, calls } = failing(1, new Error('no index of this name'));
  await expect(untilAvailable(action)).rejects.toThrow('no index of this name');
  expect(calls()).toBe(1);
});

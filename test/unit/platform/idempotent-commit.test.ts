import { expect, test } from 'vitest';
import { createIdempotentCommits } from '../../../src/platform/commit/idempotency/idempotent-commit.ts';

type Deps = Parameters<typeof createIdempotentCommits>[0];

/** Returns the replay of a request from the result that its record stores. */
async function replayOf(result: string): Promise<unknown> {
  const request = { owner: '1', id: '1:POST /graphql:k', fingerprint: 'f' };
  const record = { ...request, result };
  const execute = createIdempotentCommits({
    store: { confirmation: () => ({}) } as unknown as Deps['store'],
    log: {} as Deps['log'],
    records: {
      earlier: async () => ({ response: null, record }),
      isCurrent: () => true,
      decrypt: (_id: string, text: string) => text,
    } as unknown as Deps['records'],
  });
  const { value, replayed } = await execute(request, {
    resultSuffices: true,
    execute: async (commit) => {
      const committed = await commit.run(
        () => Promise.reject(new Error('executed again')),
        async (plan) => ({ result: (await plan()).result, effects: [] }),
      );
      return { value: committed.result, isSuccess: true };
    },
  });
  expect(replayed).toBe(true);
  return value;
}

test('a result that an earlier build stored as extended JSON is read', async () => {
  const stored = `{"result":{"startedAt":{"$date":"2026-01-31T09:30:00.250Z"},"endedAt":{"$date":{"$numberLong":"-86400000"}},"filter":{"data.goal":{"$regex":"^a"}},"value":2.5}}`;
  expect(await replayOf(stored)).toEqual({
    startedAt: new Date('2026-01-31T09:30:00.250Z'),
    endedAt: new Date('1969-12-31T00:00:00Z'),
    filter: { 'data.goal': { $regex: '^a' } },
    value: 2.5,
  });
});

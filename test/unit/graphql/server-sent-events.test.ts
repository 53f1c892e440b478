import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { serverSentEvents } from '../../../src/http/graphql/server-sent-events.ts';

const open = (source: AsyncIterable<ExecutionResult>) =>
  serverSentEvents(
    source,
    (result) => ({ result, id: result.extensions ? String(result.extensions.id) : null }),
    (error) => ({ errors: [String(error)] }),
  );

test('results come as `next` events after a first comment, and `complete` ends them', async () => {
  async function* source(): AsyncGenerator<ExecutionResult> {
    yield { data: { n: 1 } };
    yield { data: { text: 'two\nlines' }, extensions: { id: '82AB' } };
  }
  expect(await Array.fromAsync(open(source()))).toEqual([
    ':\n\n',
    'event: next\ndata: {"data":{"n":1}}\n\n',
    'id: 82AB\nevent: next\ndata: {"data":{"text":"two\\nlines"},"extensions":{"id":"82AB"}}\n\n',
    'event: complete\ndata:\n\n',
  ]);
});

test('an error of the source is the last event before `complete`', async () => {
  const source: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]: () => source,
    next: () => Promise.reject(new Error('gone')),
  };
  expect(await Array.fromAsync(open(source))).toEqual([
    ':\n\n',
    'event: next\ndata: {"errors":["Error: gone"]}\n\n',
    'event: complete\ndata:\n\n',
  ]);
});

test('`return()` ends a stream that waits at once, and its source with it', async () => {
  let returned = false;
  const source: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]: () => source,
    next: () => new Promise(() => {}),
    async return() {
      returned = true;
      return { done: true, value: undefined };
    },
  };
  const stream = open(source);
  await stream.next();
  const waiting = stream.next();
  await wait(20);
  await stream.return?.();
  const last = await Promise.race([waiting, wait(1_000, 'still waiting')]);
  expect(last).toEqual({ done: false, value: 'event: complete\ndata:\n\n' });
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect(returned).toBe(true);
});

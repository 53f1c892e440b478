import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestTenant } from '../support/app.ts';
import { meetingJson } from '../support/provider.ts';
import { type Connector, connectedTenant, idsOf, startConnector, syncOf } from './support.ts';

const MIB = 1024 * 1024;

let on: Connector;
let tenant: TestTenant;
let logged = '';
beforeAll(async () => {
  const write = (line: string) => {
    logged += line;
  };
  const log = pino({ level: 'info' }, { write });
  on = await startConnector({ count: 1 }, {}, log);
  tenant = await connectedTenant(on.app);
});
afterAll(() => on.stop());

async function syncWith(body: string) {
  on.provider.behave({ status: 200, headers: { 'content-type': 'application/json' }, body });
  logged = '';
  return syncOf(on.app, tenant);
}

describe('a page beyond a bound fails the sync with the bound as the reason', () => {
  test.each([
    ['1 MiB of numbers', `{"meetings":[${'1,'.repeat(MIB / 2)}1]}`, '1,000 meetings per page'],
    ['60 MiB of empty meetings', `{"meetings":[${'{},'.repeat(20 * MIB)}{}]}`, '1,000 meetings per page'],
    ['a meeting of 5 MiB of lists', `{"meetings":[[${'[],'.repeat(MIB)}0]]}`, '250,000 values per meeting'],
    ['a body of 70 MiB', `{"meetings":["${'a'.repeat(70 * MIB)}"]}`, '67,108,864 bytes'],
  ])('%s', async (_what, body, bound) => {
    expect(await syncWith(body)).toMatchObject({
      status: 'failed',
      fetched: 0,
      error: {
        code: 'PROVIDER_UNAVAILABLE',
        message: `The provider's response exceeds the maximum of ${bound}. Report this to the operator.`,
      },
    });
    expect(logged.length).toBeLessThan(10_000);
  });
});

test('a page of 1,000 meetings is stored', async () => {
  const meetings = Array.from({ length: 1_000 }, (_, index) => meetingJson(index % 600, { segments: 1 }));
  const distinct = meetings.map((meeting, index) => ({ ...meeting, id: `many${index}` }));
  const run = await syncWith(JSON.stringify({ meetings: distinct }));
  expect(run).toMatchObject({ status: 'succeeded', pages: 1, fetched: 1_000, stored: 1_000, rejected: 0 });
  expect(await syncWith(JSON.stringify({ meetings: distinct }))).toMatchObject({ stored: 0, updated: 1_000 });
  expect(await idsOf(on.app, tenant)).toHaveLength(50);
});

test('the log names ten rejected meetings of a page, and counts the others', async () => {
  const run = await syncWith(JSON.stringify({ meetings: Array(500).fill(7) }));
  expect(run).toMatchObject({ status: 'succeeded', rejected: 500 });
  const lines = logged
    .split('\n')
    .filter((line) => line.includes('rejected"') || line.includes('page rejected'));
  expect(lines.filter((line) => line.includes('"meeting rejected"'))).toHaveLength(10);
  expect(logged).toContain('"rejected":490,"msg":"further meetings of the page rejected"');
});

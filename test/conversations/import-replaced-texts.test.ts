import { afterAll, beforeAll, expect, test } from 'vitest';
import { erase } from '../privacy/privacy-support.ts';
import { ended, type Importing, idOf, startImporting } from './import-support.ts';

const MIB = 1024 * 1024;
/** Shorter than what replaces it. */
const ADDRESS = 'z@q.io';
const LABEL = `${ADDRESS} `.repeat(71);
const at = '2026-03-02T09:00:00.000Z';
const message = (text: string) => ({ role: 'bot', text, sent_at: at });

let on: Importing;
beforeAll(async () => {
  on = await startImporting();
});
afterAll(() => on.stop());

/** Conversations at the bounds of a text and of all texts, which mention a person everywhere. */
const lines = (family: string) => [
  ended(idOf(family, 1), {
    status: 'converted',
    converted: true,
    goal: LABEL,
    transcript: [message(''.padEnd(32_768, `${ADDRESS} `))],
    identity: { person_id: 'p_1', email: 'ada@example.com', company: LABEL, job_title: LABEL },
    conversion: { type: LABEL, goal: LABEL, value: null, recorded_at: at },
  }),
  ended(idOf(family, 2), {
    transcript: Array.from({ length: 256 }, () => message(`${ADDRESS} `.padEnd(16_384, 'x'))),
  }),
];

test('conversations whose texts an erasure or a suppression has lengthened are imported as exported', async () => {
  const [source, target] = [await on.app.newTenant(), await on.app.newTenant()];
  expect((await on.importing(source, lines('a'))).report).toMatchObject({ imported: 2, rejected: 0 });
  await erase(on.app, source, { email: ADDRESS });
  expect((await on.importing(source, lines('b'))).report).toMatchObject({ imported: 2, rejected: 0 });

  const exported = await on.exported(source);
  expect(exported).not.toContain(ADDRESS);
  expect(exported.match(/\[erased\]/g)?.length).toBeGreaterThan(4_000);
  expect(exported.match(/\[suppressed\]/g)?.length).toBeGreaterThan(2_500);
  expect(Buffer.byteLength(exported)).toBeGreaterThan(8 * MIB);
  expect((await on.importing(target, exported)).report).toMatchObject({
    imported: 4,
    rejected: 0,
    errors: [],
  });
  expect(await on.exported(target)).toBe(exported);

  const conversion = { type: 'conversion', visitor_id: 'v_1', goal: LABEL };
  expect(await on.app.request('POST', '/v1/events', { key: source.write, body: conversion })).toMatchObject({
    status: 201,
    body: { goal: expect.stringMatching(/^(\[suppressed\] ){38}$/) },
  });
}, 240_000);

import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { type CompressedForms, encodeBody } from '../../../src/http/response/content-encoding.ts';

const accepting = (coding: string) =>
  ({ headers: { 'accept-encoding': coding } }) as unknown as IncomingMessage;

test('a content with compressed forms is compressed once for each coding', async () => {
  const text = JSON.stringify(Array(500).fill('content'));
  const forms: CompressedForms = new Map();
  for (const coding of ['br', 'gzip']) {
    const [first, second] = [
      await encodeBody(accepting(coding), text, forms),
      await encodeBody(accepting(coding), text, forms),
    ];
    expect(first.coding).toBe(coding);
    expect(second.body).toBe(first.body);
  }
  expect(forms.size).toBe(2);
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const readme = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8');

test.each(['src/features/webhooks/signature/verify.ts', 'docs/verify.py'])(
  'README links the verifier %s, and does not repeat its code',
  (path) => {
    expect(readme).toContain(`](${path})`);
    expect(readme).not.toMatch(/createHmac|hmac\.new/);
  },
);

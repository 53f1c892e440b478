import { describe, expect, test } from 'vitest';
import { describeError } from '../../src/console/pages/webhooks/delivery-errors.ts';
import type { OutboundErrorCode } from '../../src/outbound/errors.ts';

/** Every code that there is: one that is added and not listed here is a type error. */
const CODES: Record<OutboundErrorCode, true> = {
  timeout: true,
  connection_refused: true,
  connection_reset: true,
  dns: true,
  tls: true,
  blocked_address: true,
  http_protocol: true,
  aborted: true,
  network: true,
};

describe('the words for the error of a delivery', () => {
  test.each(Object.keys(CODES))('%s has its own', (code) => {
    const { title, advice } = describeError(code);
    expect(title).not.toBe(code);
    expect(advice).toMatch(/^[A-Z].{40,}\.$/);
    expect(advice).not.toBe(describeError('a_code_of_tomorrow').advice);
  });

  test.each([
    [302, 'Redirects are not followed'],
    [401, 'wants credentials'],
    [404, 'nothing at that path'],
    [410, 'gone for good'],
    [418, 'refused the request'],
    [429, 'too many requests'],
    [500, 'failed while it handled the request'],
    [504, 'waited for it in vain'],
  ])('an answer of %i says what it means', (status, meaning) => {
    const { title, advice } = describeError(`http_${status}`);
    expect(title).toBe(`Answered ${status}`);
    expect(advice).toContain(meaning);
  });

  test('a code that is not known stands for itself', () => {
    expect(describeError('a_code_of_tomorrow').title).toBe('a_code_of_tomorrow');
  });
});

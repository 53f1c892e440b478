import { describe, expect, test } from 'vitest';
import { describeError } from '../../../src/console/pages/webhooks/deliveries/delivery-errors.ts';
import type { OutboundErrorCode } from '../../../src/outbound/outbound-errors.ts';

/** Every error code; a code that is missing here is a type error. */
const CODES: Record<OutboundErrorCode, true> = {
  timeout: true,
  connection_refused: true,
  connection_reset: true,
  dns: true,
  tls: true,
  blocked_address: true,
  blocked_port: true,
  http_protocol: true,
  aborted: true,
  network: true,
  proxy_authentication: true,
  proxy_closed: true,
  proxy_refused: true,
  proxy_response: true,
  proxy_timeout: true,
  proxy_unreachable: true,
};

describe('the description of a delivery error', () => {
  const OWN = [
    'mtls_unreadable',
    'payload_unreadable',
    'oauth_timeout',
    'oauth_refused',
    'oauth_redirect',
    'oauth_bad_response',
  ];
  test.each([...Object.keys(CODES), ...OWN, 'oauth_dns', 'oauth_http_503'])('exists for %s', (code) => {
    const { title, advice } = describeError(code);
    expect(title).not.toBe(code);
    expect(advice).toMatch(/^[A-Z].{40,}\.$/);
    expect(advice).not.toBe(describeError('unknown_code').advice);
  });

  test.each([
    [302, 'Redirects are not followed'],
    [401, 'requires credentials'],
    [404, 'no route for this path'],
    [410, '410 Gone'],
    [418, 'rejected the request'],
    [429, 'rate-limits requests'],
    [500, 'failed to process the request'],
    [504, 'timed out'],
  ])('explains HTTP %i', (status, meaning) => {
    const { title, advice } = describeError(`http_${status}`);
    expect(title).toBe(`HTTP ${status}`);
    expect(advice).toContain(meaning);
  });

  test.each([429, 503])('mentions the retries of HTTP %i only if an attempt follows', (status) => {
    expect(describeError(`http_${status}`, { hasNextAttempt: true }).advice).toContain('Retry-After');
    expect(describeError(`http_${status}`).advice).not.toMatch(/retries|Retry-After/);
  });

  test('has an unknown code as its title', () => {
    expect(describeError('unknown_code').title).toBe('unknown_code');
  });
});

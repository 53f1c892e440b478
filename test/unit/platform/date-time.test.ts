import { describe, expect, test } from 'vitest';
import { parseDateTime } from '../../../src/platform/date-time.ts';

const iso = (text: string, isLenient = false): string | undefined =>
  parseDateTime(text, { isLenient })?.toISOString();

describe('a time is read', () => {
  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31t09:30:00.123456z', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31T09:30:00+0100', '2026-01-31T08:30:00.000Z'],
    ['2026-01-31T09:30-01:00', '2026-01-31T10:30:00.000Z'],
    ['2026-01-31T09:30:00 02:00', '2026-01-31T07:30:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['0000-01-01', '0000-01-01T00:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(iso(text)).toBe(expected);
    expect(iso(text, true)).toBe(expected);
  });

  test.each([
    ['2026-01-31T09:30', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.5', '2026-01-31T09:30:00.500Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2017-01-01T00:59:60.25+0100', '2017-01-01T00:00:00.250Z'],
  ])('%s from another system only', (text, expected) => {
    expect(iso(text)).toBeUndefined();
    expect(iso(text, true)).toBe(expected);
  });
});

describe('no time is read from', () => {
  test.each([
    '',
    'yesterday',
    '2026-02-30',
    '2026-02-30T09:30Z',
    '2026-1-31',
    '20260131',
    '2026-01-31Z',
    '2026-01-31+01:00',
    '2026-01-31 09:30:00Z',
    '2026-01-31T09Z',
    '2026-01-31T09:30.5Z',
    '2026-01-31T25:00Z',
    '2026-01-31T09:30:61Z',
    '2026-01-31T09:30:00+24:00',
    '2026-01-31T09:30:00+01',
    '2026-01-31T09:30:00Z ',
    '2026-01-31T09:30:00Z\n',
    '9999-12-31T23:59:59-12:00',
    '0000-01-01T00:00:00+00:01',
    '+010000-01-01T00:00:00Z',
  ])('%j', (text) => {
    expect(iso(text)).toBeUndefined();
    expect(iso(text, true)).toBeUndefined();
  });

  test.each([1_769_851_800, null, undefined, new Date()])('%s', (value) => {
    expect(parseDateTime(value)).toBeNull();
  });
});

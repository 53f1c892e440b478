import { resolve } from 'node:path';
import { CronExpressionParser } from 'cron-parser';
import ms from 'ms';
import { z } from 'zod';

/** Thrown by a reader: what is wrong with the value, as the middle of a sentence (`is above 12s`). */
const wrong = (what: string): Error => new Error(what);

/**
 * One variable: what it accepts in words, and how its text becomes a value.
 * A secret's value, and anything that may carry one (addresses with a password in them), is never repeated.
 */
function variable<T>(accepted: string, read: (text: string) => T, { secret = false } = {}) {
  return z
    .string({ error: `is not set, and NODE_ENV=production needs it; accepted: ${accepted}` })
    .transform((text, context): T => {
      try {
        return read(text);
      } catch (error) {
        const shown = secret
          ? 'the value'
          : JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
        const what = error instanceof Error ? error.message : 'is not accepted';
        context.issues.push({
          code: 'custom',
          input: text,
          message: `${shown} ${what}; accepted: ${accepted}`,
        });
        return z.NEVER;
      }
    });
}

/** Exactly one of a few words. */
export const oneOf = <T extends string>(values: readonly T[]) =>
  variable(values.join(', '), (text): T => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw wrong('is not one of them');
    return found;
  });

/** `on` or `off`, or whichever two words stand for yes and no. */
export const flag = (yes: string, no: string) => oneOf([yes, no]).transform((word) => word === yes);

/** A whole number in decimal digits. */
export const integer = (min: number, max: number) =>
  variable(`a whole number from ${min} to ${max}`, (text) => {
    if (!/^\d+$/.test(text)) throw wrong('is not a whole number');
    return between(Number(text), min, max, String);
  });

/** A number, with a fraction or without. */
export const decimal = (min: number, max: number) =>
  variable(`a number from ${min} to ${max}`, (text) => {
    if (!/^\d+(\.\d+)?$/.test(text)) throw wrong('is not a number');
    return between(Number(text), min, max, String);
  });

function between(value: number, min: number, max: number, show: (bound: number) => string): number {
  if (value < min) throw wrong(`is below ${show(min)}`);
  if (value > max) throw wrong(`is above ${show(max)}`);
  return value;
}

/** Bounds of a duration, written like a duration. */
interface DurationBounds {
  min?: ms.StringValue;
  max?: ms.StringValue;
}

/** Milliseconds of `5m`, `1250ms` or `1 hour`. A bare number is refused: nobody can tell its unit. */
function milliseconds(text: string, { min = '1ms', max = '10y' }: DurationBounds): number {
  const value = /^\d+(\.\d+)? ?[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined;
  if (value === undefined) throw wrong(/^\d+$/.test(text) ? 'has no unit' : 'is not a duration');
  // `ms` rounds what it prints (1200 would be "1s"), so the bound that is broken is shown as it was written.
  return between(Math.round(value), ms(min), ms(max), (bound) => (bound === ms(min) ? min : max));
}

const inWords = ({ min, max }: DurationBounds): string =>
  `a duration with its unit, such as 1250ms, 5m or 1 hour${min ? `, at least ${min}` : ''}${max ? `, at most ${max}` : ''}`;

/** A duration with its unit, read by the library `ms`; milliseconds. */
export const duration = (bounds: DurationBounds = {}) =>
  variable(inWords(bounds), (text) => milliseconds(text, bounds));

/** Exactly three durations with a comma between them; milliseconds. */
export const threeDurations = () =>
  variable('exactly three durations with their units and commas between them, such as 5m,30m,2h', (text) => {
    const [first, second, third, ...more] = text.split(',').map((part) => part.trim());
    if (first === undefined || second === undefined || third === undefined || more.length > 0) {
      throw wrong('is not three durations');
    }
    const read = (part: string) => milliseconds(part, {});
    return [read(first), read(second), read(third)] as const;
  });

/** When a recurring job runs: a cron expression, or milliseconds between two runs, as `agenda.every` takes them. */
export type Schedule = string | number;

/**
 * A cron expression, read by the parser that Agenda runs it with, or an interval; null for `off`.
 * Presets (`@hourly`) are refused: Agenda would read the word in them as an interval.
 */
export const schedule = () =>
  variable(
    'a cron expression of five or six fields such as 0 * * * *, an interval of at least 1s such as 1 hour, or off',
    (text): Schedule | null => {
      if (text === 'off') return null;
      const fields = text.split(/\s+/).length;
      if (fields < 5) return milliseconds(text, { min: '1s', max: '1y' });
      try {
        if (fields > 6) throw wrong('it has more than six fields');
        CronExpressionParser.parse(text).next();
      } catch (error) {
        throw wrong(`is not a cron expression (${error instanceof Error ? error.message : error})`);
      }
      return text;
    },
  );

/** So many requests in such a time. */
export interface RateLimit {
  requests: number;
  /** Milliseconds. */
  windowMs: number;
}

/** `60000/min`, `100/10s`; null for `off`. */
export const rateLimit = () =>
  variable('requests per time such as 60000/min, 50/s or 100/10s, or off', (text): RateLimit | null => {
    if (text === 'off') return null;
    const [, requests, window] = /^(\d+) ?\/ ?(.+)$/.exec(text) ?? [];
    if (requests === undefined || window === undefined) throw wrong('is not a rate');
    return {
      requests: between(Number(requests), 1, 1_000_000_000, String),
      windowMs: milliseconds(/^\d/.test(window) ? window : `1${window}`, { min: '1s', max: '1d' }),
    };
  });

/** A name or address to listen on. */
export const host = () =>
  variable('an IP address or a host name', (text) => {
    const numeric = /^[\d.]+$/.test(text);
    const schemas = numeric ? [z.ipv4()] : [z.hostname(), z.ipv6()];
    if (!schemas.some((schema) => schema.safeParse(text).success)) throw wrong('is neither');
    return text;
  });

/** A directory; relative ones start at the working directory. */
export const directory = () => variable('a directory', (text) => resolve(text));

/** A file that must exist when it is used. */
export const file = () => variable('a file', (text) => resolve(text));

/** Base address of another service, without a slash at its end. */
export const baseUrl = () =>
  variable(
    'an http: or https: address without user name, query and fragment',
    (text) => {
      const url = URL.parse(text);
      if (!url || !/^https?:$/.test(url.protocol)) throw wrong('is not an http: or https: address');
      if (url.username || url.password) throw wrong('has a user name in it');
      if (url.search || url.hash) throw wrong('has a query or a fragment');
      return url.href.replace(/\/+$/, '');
    },
    { secret: true },
  );

/** Connection string of a database. */
export const mongodbUri = () =>
  variable(
    'a connection string that starts with mongodb:// or mongodb+srv:// and names a host',
    (text) => {
      if (!/^mongodb(\+srv)?:\/\/[^/?#\s]/.test(text)) throw wrong('is not one');
      return text;
    },
    { secret: true },
  );

/** Text that fits into a bearer token (RFC 6750, section 2.1). */
export const token = () =>
  variable(
    'letters, digits and - . _ ~ + / with = at the end',
    (text) => {
      if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(text)) throw wrong('has other characters');
      return text;
    },
    { secret: true },
  );

/** AES-256 keys in hexadecimal, the encrypting one first. */
export const encryptionKeys = () =>
  variable(
    '64 hexadecimal characters, or several such keys with commas between them (the first encrypts, all decrypt)',
    (text) => {
      const keys = text.split(',').map((key) => key.trim().toLowerCase());
      const bad = keys.findIndex((key) => !/^[0-9a-f]{64}$/.test(key));
      if (bad >= 0) throw wrong(`is not: key ${bad + 1} of ${keys.length} has another form`);
      if (new Set(keys).size < keys.length) throw wrong('names a key twice');
      return keys;
    },
    { secret: true },
  );

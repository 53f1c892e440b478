import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { CronExpressionParser } from 'cron-parser';
import ms from 'ms';
import { z } from 'zod';
import type { RateLimit } from '../limits/shared-quota.ts';
import type { ProxySettings } from '../outbound/proxy.ts';
import type { BypassRule } from '../outbound/proxy-bypass.ts';
import { type AddressRange, parseAddressRange } from '../platform/address-ranges.ts';
import { BEARER_TOKEN_CHARACTERS, isBearerToken } from '../platform/http/bearer-token.ts';
import { DRIFT_REFERENCES, type DriftReference } from '../shared/drift-references.ts';

/** Beyond this, one primary would not keep up with accepting connections. */
const MAX_WORKERS = 256;

/** An invalid value. `problem` completes a sentence whose subject is the value, such as `is above 12s`. */
const wrong = (problem: string): Error => new Error(problem);

/**
 * Schema of one variable.
 *
 * @param accepted description of the accepted values, for the error message
 * @param read parses the text; throws `wrong(...)`
 * @param options.secret keeps the value out of error messages, for secrets and for URLs that may contain one
 */
function variable<T>(accepted: string, read: (text: string) => T, { secret = false } = {}) {
  return z
    .string({ error: `is not set but required with NODE_ENV=production; accepted: ${accepted}` })
    .transform((text, context): T => {
      try {
        return read(text);
      } catch (error) {
        const shown = secret
          ? 'the value'
          : JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
        const problem = error instanceof Error ? error.message : 'is not valid';
        context.issues.push({
          code: 'custom',
          input: text,
          message: `${shown} ${problem}; accepted: ${accepted}`,
        });
        return z.NEVER;
      }
    });
}

/** One of a fixed set of words. */
export const oneOf = <T extends string>(values: readonly T[]) =>
  variable(values.join(', '), (text): T => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw wrong('is not a valid choice');
    return found;
  });

/** A boolean, written as one of two words, such as `on` and `off`. */
export const flag = (yes: string, no: string) => oneOf([yes, no]).transform((word) => word === yes);

export const integer = (min: number, max: number) =>
  variable(`a whole number from ${min} to ${max}`, (text) => {
    if (!/^\d+$/.test(text)) throw wrong('is not a whole number');
    return inBounds(Number(text), { min, max });
  });

/** Comma-separated port numbers; `none` for an empty list. */
export const ports = () =>
  variable('a comma-separated list of ports from 1 to 65535 such as 22,25,6379, or none', (text) => {
    if (text === 'none') return new Set<number>();
    const entries = text.split(',').map((entry) => entry.trim());
    if (!entries.every((entry) => /^\d{1,5}$/.test(entry) && Number(entry) >= 1 && Number(entry) <= 65_535))
      throw wrong('contains an entry that is not a port');
    return new Set(entries.map(Number));
  });

/** Number of worker processes; `auto` is one per core. */
export const workerCount = () =>
  variable(`a whole number from 1 to ${MAX_WORKERS}, or auto`, (text) => {
    if (text === 'auto') return Math.min(MAX_WORKERS, availableParallelism());
    if (!/^\d+$/.test(text)) throw wrong('is not a whole number');
    return inBounds(Number(text), { min: 1, max: MAX_WORKERS });
  });

export interface DriftThreshold {
  general: number;
  models: Readonly<Record<string, number>>;
}

/** Used for models that `DRIFT_THRESHOLD` does not cover. */
const DEFAULT_THRESHOLD = 0.2;

/** A number from 0 to 1, optionally followed by thresholds of single models. */
export const driftThreshold = () =>
  variable(
    'a number from 0 to 1 such as 0.2, and optionally others for single models, such as 0.2,churn=0.3',
    (text): DriftThreshold => {
      const { general = DEFAULT_THRESHOLD, named } = defaultAndNamed(text, (value) => {
        if (!/^\d+(\.\d+)?$/.test(value)) throw wrong('is not a number');
        return inBounds(Number(value), { min: 0, max: 1 });
      });
      return { general, models: Object.fromEntries(named) };
    },
  );

/** Returns the threshold of a model. @param model any text, such as `constructor` */
export const thresholdOf = ({ general, models }: DriftThreshold, model: string): number =>
  namedValue(models, model) ?? general;

/** Formats thresholds as `DRIFT_THRESHOLD`, to pass them to another process. */
export const driftThresholdText = ({ general, models }: DriftThreshold): string =>
  [
    decimalText(general),
    ...Object.entries(models).map(([model, threshold]) => `${model}=${decimalText(threshold)}`),
  ].join();

/** Formats a number for a variable of another process; without an exponent, unlike `String`. */
const decimalText = (value: number): string => value.toFixed(20);

interface Bounds {
  min: number;
  max: number;
  /** Formats a bound for the error message. */
  format?: (bound: number) => string;
}

function inBounds(value: number, { min, max, format = String }: Bounds): number {
  if (value < min) throw wrong(`is below ${format(min)}`);
  if (value > max) throw wrong(`is above ${format(max)}`);
  return value;
}

interface DurationBounds {
  min?: ms.StringValue;
  max?: ms.StringValue;
}

/** Parses `5m`, `1250ms` or `1 hour` to milliseconds. A number without a unit is ambiguous and rejected. */
function milliseconds(text: string, { min = '1ms', max = '10y' }: DurationBounds): number {
  const value = /^\d+(\.\d+)? ?[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined;
  if (value === undefined) throw wrong(/^\d+$/.test(text) ? 'has no unit' : 'is not a duration');
  // Formats the bound as written: `ms` would round it (1200 to "1s").
  return inBounds(Math.round(value), {
    min: ms(min),
    max: ms(max),
    format: (bound) => (bound === ms(min) ? min : max),
  });
}

const inWords = ({ min, max }: DurationBounds): string =>
  `a duration with a unit, such as 1250ms, 5m or 1 hour${min ? `, at least ${min}` : ''}${max ? `, at most ${max}` : ''}`;

/** A duration with a unit, in the syntax of the library `ms`; returns milliseconds. */
export const duration = (bounds: DurationBounds = {}) =>
  variable(inWords(bounds), (text) => milliseconds(text, bounds));

/** Exactly three comma-separated durations; returns milliseconds. */
export const threeDurations = () =>
  variable('exactly three comma-separated durations with units, such as 5m,30m,2h', (text) => {
    const [first, second, third, ...more] = text.split(',').map((part) => part.trim());
    if (first === undefined || second === undefined || third === undefined || more.length > 0) {
      throw wrong('is not a list of three durations');
    }
    const read = (part: string) => milliseconds(part, {});
    return [read(first), read(second), read(third)] as const;
  });

/** Maximum number of comma-separated durations of a variable. */
const MAX_PERIODS = 10;

/** Up to ten comma-separated durations, in milliseconds; empty for `off`. */
export const periods = () =>
  variable(
    `up to ${MAX_PERIODS} comma-separated durations with units, such as 30d,7d,1d, or off`,
    (text): readonly number[] => {
      if (text === 'off') return [];
      const parts = text.split(',').map((part) => part.trim());
      if (parts.length > MAX_PERIODS) throw wrong(`has more than ${MAX_PERIODS} durations`);
      return parts.map((part) => milliseconds(part, {}));
    },
  );

/** Schedule of a recurring job: a cron expression, or the interval in milliseconds. */
export type Schedule = string | number;

/**
 * A cron expression or an interval; null for `off`. Cron expressions are validated with Agenda's own parser. Presets
 * (`@hourly`) are rejected because Agenda would parse them as intervals.
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

/** `60000/min`, `100/10s`; null for `off`. */
export const rateLimit = () =>
  variable(
    'a number of requests per time, such as 60000/min, 50/s or 100/10s, or off',
    (text): RateLimit | null => {
      if (text === 'off') return null;
      const [, requests, window] = /^(\d+) ?\/ ?(.+)$/.exec(text) ?? [];
      if (requests === undefined || window === undefined) throw wrong('is not a rate limit');
      return {
        requests: inBounds(Number(requests), { min: 1, max: 1_000_000_000 }),
        windowMs: milliseconds(/^\d/.test(window) ? window : `1${window}`, { min: '1s', max: '1d' }),
      };
    },
  );

/** Current samples that a check uses: a number of the newest rows, or the rows of a recent time; with neither, all. */
interface WindowSize {
  rows: number | null;
  ms: number | null;
}

/** The default window, and windows of single stages. */
export interface CurrentWindow extends WindowSize {
  stages?: Readonly<Record<string, WindowSize>>;
}

/** A number of rows, at least as many as a score needs, or a duration; optionally with windows of single stages. */
export const currentWindow = () =>
  variable(
    'a number of rows from 30 to 1000000000 such as 100000, or a duration of at least 1s such as 14d; and optionally others for single stages, such as 100000,trial=14d',
    (text): CurrentWindow => {
      const { general, named } = defaultAndNamed(text, (size) =>
        /^\d+$/.test(size)
          ? { rows: inBounds(Number(size), { min: 30, max: 1_000_000_000 }), ms: null }
          : { rows: null, ms: milliseconds(size, { min: '1s' }) },
      );
      return {
        ...(general ?? { rows: null, ms: null }),
        ...(named.size > 0 ? { stages: Object.fromEntries(named) } : {}),
      };
    },
  );

/** Returns the own value of a name. @param name null for none; any text, such as `constructor` */
export const namedValue = <T>(values: Readonly<Record<string, T>>, name: string | null): T | undefined =>
  name !== null && Object.hasOwn(values, name) ? values[name] : undefined;

/** Parses a default value and values of single stages or models, such as `30d,trial=7d`. */
function defaultAndNamed<T>(
  text: string,
  parse: (value: string) => T,
): { general: T | undefined; named: Map<string, T> } {
  const named = new Map<string, T>();
  let general: T | undefined;
  for (const part of text.split(',')) {
    const [, prefix, value = ''] = /^(?:(.+)=)?([^=]+)$/.exec(part.trim()) ?? [];
    const name = prefix?.trim();
    if (name === undefined ? general !== undefined : named.has(name))
      throw wrong('has two values for the same rows');
    const parsed = parse(value.trim());
    if (name === undefined) general = parsed;
    else named.set(name, parsed);
  }
  return { general, named };
}

/** Formats a window as `DRIFT_CURRENT_WINDOW`, to pass it to another process. */
export const currentWindowText = ({ stages = {}, ...general }: CurrentWindow): string =>
  [
    ...sizeText(general),
    ...Object.entries(stages).flatMap(([stage, size]) => sizeText(size).map((value) => `${stage}=${value}`)),
  ].join();

const sizeText = ({ rows, ms }: WindowSize): string[] =>
  rows !== null ? [String(rows)] : ms !== null ? [`${ms}ms`] : [];

/** Age of a row after which its outcome counts: as known, or as missing. */
export interface OutcomeDelay {
  /** For stages without an entry in `stageMs`, and for rows without a stage. */
  defaultMs: number;
  stageMs: Readonly<Record<string, number>>;
}

/** A duration, optionally with durations of single stages. */
export const outcomeDelay = () =>
  variable(
    'a duration such as 30d, and optionally others for single stages, such as 30d,trial=7d',
    (text): OutcomeDelay => {
      const { general, named } = defaultAndNamed(text, (value) =>
        milliseconds(value, { min: '0s', max: '3650d' }),
      );
      return { defaultMs: general ?? 0, stageMs: Object.fromEntries(named) };
    },
  );

/** Formats a delay as `DRIFT_OUTCOME_DELAY`, to pass it to another process. */
export const outcomeDelayText = ({ defaultMs, stageMs }: OutcomeDelay): string =>
  [`${defaultMs}ms`, ...Object.entries(stageMs).map(([stage, ms]) => `${stage}=${ms}ms`)].join();

/** References of single stages and models, and of all others. */
export interface ReferenceSetting {
  general: DriftReference;
  /** By name of a stage or of a model. */
  named: Readonly<Record<string, DriftReference>>;
}

/** A reference, and others for single stages or models. */
export const driftReference = () =>
  variable(
    'fixed, trailing or seasonal, and optionally others for single stages or models, such as fixed,trial=trailing',
    (text): ReferenceSetting => {
      const { general, named } = defaultAndNamed(text, (value) => {
        const reference = DRIFT_REFERENCES.find((name) => name === value);
        if (!reference) throw wrong('is not a reference');
        return reference;
      });
      return { general: general ?? 'fixed', named: Object.fromEntries(named) };
    },
  );

/** Returns the reference of a stage, or of all samples if it is null. A stage's value overrides its model's. */
export const referenceOf = (
  { general, named }: ReferenceSetting,
  { model, stage }: { model: string; stage: string | null },
): DriftReference => namedValue(named, stage) ?? namedValue(named, model) ?? general;

/** Returns references as `DRIFT_REFERENCE`, to pass them to another process. */
export const driftReferenceText = ({ general, named }: ReferenceSetting): string =>
  [general, ...Object.entries(named).map(([name, reference]) => `${name}=${reference}`)].join();

/** Host name or IP address to listen on. */
export const host = () =>
  variable('an IP address or a host name', (text) => {
    const numeric = /^[\d.]+$/.test(text);
    const schemas = numeric ? [z.ipv4()] : [z.hostname(), z.ipv6()];
    if (!schemas.some((schema) => schema.safeParse(text).success))
      throw wrong('is not an IP address or a host name');
    return text;
  });

/** Comma-separated IP addresses and CIDR ranges. */
export const addressRanges = () =>
  variable('a comma-separated list of IP addresses and CIDR ranges, such as 10.0.0.0/8,2001:db8::1', (text) =>
    text.split(',').map((entry) => addressRange(entry.trim())),
  );

function addressRange(entry: string): AddressRange {
  const range = parseAddressRange(entry);
  if (typeof range === 'string') throw wrong(`contains an entry ${range}`);
  return range;
}

/** The proxy of `OUTBOUND_PROXY`. */
export type ProxyAddress = Pick<ProxySettings, 'host' | 'port' | 'authorization'>;

/** URL of an HTTP proxy, with credentials if it requires them. */
export const proxyUrl = () =>
  variable(
    'an http: URL of a proxy such as http://user:password@proxy.example.com:3128, without a path; percent-encode reserved characters of the credentials',
    (text): ProxyAddress => {
      const url = URL.parse(text);
      if (url?.protocol !== 'http:' || !url.hostname) throw wrong('is not an http: URL');
      if (url.pathname !== '/' || url.search || url.hash)
        throw wrong('contains a path, a query or a fragment');
      let credentials: string;
      try {
        credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      } catch {
        throw wrong('contains a malformed percent-encoding');
      }
      return {
        host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: Number(url.port || 80),
        authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
      };
    },
    { secret: true },
  );

/** Comma-separated targets that are connected to without the proxy. */
export const bypassRules = () =>
  variable(
    'a comma-separated list of host names (with the names below them), IP addresses and CIDR ranges, each with an optional :port, such as .example.com,10.0.0.0/8,[2001:db8::1]:8443, or *',
    (text): BypassRule[] =>
      text
        .split(/[\s,]+/)
        .filter((entry) => entry !== '')
        .map(bypassRule),
  );

const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function bypassRule(entry: string): BypassRule {
  // The colons of an IPv6 address without brackets are its own.
  const isIpv6 = isIP(entry.replace(/\/.*/, '')) === 6;
  const [, written = '', digits] = isIpv6 ? [entry, entry] : (/^(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? []);
  const port = digits === undefined ? null : inBounds(Number(digits), { min: 1, max: 65_535 });
  if (written === '*') return { hosts: '*', port };
  const host = written.replace(/^\[(.*)\]/, '$1');
  if (isIP(host.replace(/\/.*/, ''))) return { hosts: { range: addressRange(host) }, port };
  const name = host
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  if (!HOST_NAME.test(name))
    throw wrong('contains an entry that is not a host name, an IP address or a CIDR range');
  return { hosts: { name }, port };
}

/** Origins whose scripts may call the APIs; `*` for any. */
export type CorsOrigins = readonly string[] | '*';

/** `*`, or comma-separated origins as browsers send them. */
export const corsOrigins = () =>
  variable(
    'a comma-separated list of origins such as https://app.example.com,http://localhost:5173, or *',
    (text): CorsOrigins => (text === '*' ? '*' : text.split(',').map((entry) => origin(entry.trim()))),
  );

function origin(entry: string): string {
  const url = URL.parse(entry);
  if (!url || !/^https?:$/.test(url.protocol))
    throw wrong('contains an entry that is not an http: or https: origin');
  if (entry.includes('*')) throw wrong('contains a pattern');
  if (url.origin !== entry) throw wrong(`contains an entry that browsers send as ${url.origin}`);
  return entry;
}

/** Path of a directory; relative paths are resolved against the working directory. */
export const directory = () => variable('a directory', (text) => resolve(text));

/** Path of a file, which may not exist yet when the configuration is read. */
export const file = () => variable('a file', (text) => resolve(text));

/** Base URL of another service; returned without a trailing slash. */
export const baseUrl = () =>
  variable(
    'an http: or https: URL without credentials, query and fragment',
    (text) => {
      const url = URL.parse(text);
      if (!url || !/^https?:$/.test(url.protocol)) throw wrong('is not an http: or https: URL');
      if (url.username || url.password) throw wrong('contains credentials');
      if (url.search || url.hash) throw wrong('contains a query or a fragment');
      return url.href.replace(/\/+$/, '');
    },
    { secret: true },
  );

export const mongodbUri = () =>
  variable(
    'a connection string that starts with mongodb:// or mongodb+srv:// and names a host',
    (text) => {
      if (!/^mongodb(\+srv)?:\/\/[^/?#\s]/.test(text)) throw wrong('is not a MongoDB connection string');
      return text;
    },
    { secret: true },
  );

export const token = () =>
  variable(
    BEARER_TOKEN_CHARACTERS,
    (text) => {
      if (!isBearerToken(text)) throw wrong('contains other characters');
      return text;
    },
    { secret: true },
  );

/** Returns true for a key of one repeated byte, such as the zeros of an example. */
const isRepeatedByte = (key: string): boolean => key === key.slice(0, 2).repeat(key.length / 2);

/**
 * AES-256 keys in hexadecimal; the first encrypts.
 *
 * @param options.strong refuses keys that are not random
 */
export const encryptionKeys = ({ strong }: { strong: boolean }) =>
  variable(
    '64 hexadecimal characters, or a comma-separated list of such keys (the first encrypts, all decrypt)',
    (text) => {
      const keys = text.split(',').map((key) => key.trim().toLowerCase());
      const bad = keys.findIndex((key) => !/^[0-9a-f]{64}$/.test(key));
      if (bad >= 0)
        throw wrong(`is not valid: key ${bad + 1} of ${keys.length} is not 64 hexadecimal characters`);
      if (new Set(keys).size < keys.length) throw wrong('contains the same key twice');
      const weak = strong ? keys.findIndex(isRepeatedByte) : -1;
      if (weak >= 0)
        throw wrong(
          `is weak: all bytes of key ${weak + 1} of ${keys.length} are equal, create one with openssl rand -hex 32`,
        );
      return keys;
    },
    { secret: true },
  );

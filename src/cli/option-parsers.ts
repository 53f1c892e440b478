import { InvalidArgumentError } from 'commander';
import type { ZodType } from 'zod';
import { storedNetwork } from '../features/tenants/client-networks.ts';
import { DATE_TIME, parseDateTime } from '../platform/date-time.ts';
import { emailAddress as emailSchema, text, trimmedText } from '../platform/text-validation.ts';
import { MAX_INT32 } from '../shared/int32.ts';
import { MAX_KEY_NAME, MAX_KEY_NETWORKS } from '../shared/key-limits.ts';

/** Returns a parser of whole numbers within inclusive bounds. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };

/** Parses a customer id: a positive 32-bit integer, like GraphQL's `Int`. */
export const customerId = wholeNumber(1, MAX_INT32);

/** Parses an ISO 8601 date (UTC), or time with an offset: without one, it would depend on the machine's time zone. */
export function isoDate(text: string): Date {
  const at = parseDateTime(text);
  if (at === null) throw new InvalidArgumentError(`${DATE_TIME}.`);
  return at;
}

/** Collects the values of a repeatable option. */
export const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

/** Parses and collects addresses and CIDR ranges of clients. */
export function networks(value: string, previous?: string[]): string[] {
  const network = storedNetwork(value);
  if (network === null)
    throw new InvalidArgumentError('Must be an IP address or a CIDR range, such as 192.0.2.0/24.');
  if (previous?.length === MAX_KEY_NETWORKS)
    throw new InvalidArgumentError(`Must have at most ${MAX_KEY_NETWORKS} addresses and ranges.`);
  return collect(network, previous);
}

/** Returns a parser under a rule of the APIs, which also refuses blank values. */
const textOption =
  (rule: ZodType<string, string>) =>
  (value: string): string => {
    if (value.trim() === '') throw new InvalidArgumentError('Must not be blank.');
    const { data, error } = rule.safeParse(value);
    if (error) throw new InvalidArgumentError(error.issues[0]?.message ?? 'Is not valid.');
    return data;
  };

/** Parses the name of an API key. */
export const keyName = textOption(text({ max: MAX_KEY_NAME }));

/** Parses a name or an identifier: one visible line. */
export const shortText = textOption(text());

/** Parses the name or the organization id of a customer, which the APIs store without white space around it. */
export const customerText = textOption(trimmedText);

export const emailAddress = textOption(emailSchema);

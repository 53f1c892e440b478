import { InvalidArgumentError } from 'commander';

/** Parser of an option that is a whole number within bounds. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
    }
    return value;
  };

/** Parser of a customer id: a positive 32-bit integer, which is all that GraphQL's Int can hold. */
export const customerId = wholeNumber(1, 2_147_483_647);

/** Parser of a moment in ISO 8601 with its offset; one without would mean another moment on another machine. */
export function isoDate(text: string): Date {
  const at = new Date(text);
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
  if (!form.test(text) || Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('Give a moment in ISO 8601, such as 2027-01-31T12:00:00Z.');
  }
  return at;
}

/** Parser of an option that may be given several times. */
export const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

/** Parser of a text that is neither blank nor longer than what is stored (contract 4). */
export function shortText(text: string): string {
  if (text.trim() === '' || text.length > 500) throw new InvalidArgumentError('Give 1 to 500 characters.');
  return text;
}

import { z } from 'zod';

/** Names of zod's types, as clients know them. */
const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  date: 'a date and time',
  array: 'an array',
  object: 'a JSON object',
  record: 'a JSON object',
};

const UNITS: Record<string, string> = { string: ' characters', array: ' items', set: ' items' };

const count = (limit: number | bigint): string => limit.toLocaleString('en');

/** Describes the valid values for an issue without a message of its own, in the words of the other checks. */
function describe(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'Is required.';
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === null) return 'Must not be null.';
      return TYPES[issue.expected] ? `Must be ${TYPES[issue.expected]}.` : 'Is not valid.';
    case 'invalid_value':
      return `Must be one of ${issue.values.map(String).join(', ')}.`;
    case 'too_small':
    case 'too_big': {
      const isMinimum = issue.code === 'too_small';
      const limit = count(isMinimum ? issue.minimum : issue.maximum);
      const unit = UNITS[issue.origin];
      const bound = issue.inclusive
        ? isMinimum
          ? 'at least'
          : 'at most'
        : isMinimum
          ? 'more than'
          : 'less than';
      return `Must ${unit ? 'have' : 'be'} ${bound} ${limit}${unit ?? ''}.`;
    }
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}.`;
    case 'unrecognized_keys':
      return 'Unknown field.';
    default:
      return 'Is not valid.';
  }
}

z.config({ localeError: describe });

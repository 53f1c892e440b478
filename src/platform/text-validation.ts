import { z } from 'zod';
import { MAX_TEXT } from '../shared/text-limits.ts';
import { hasHiddenCharacters } from './hidden-characters.ts';

interface TextOptions {
  /** Maximum number of characters. */
  max?: number;
  allowEmpty?: boolean;
  /** Permits all characters, such as line breaks. By default a text is one visible line, for names and descriptions. */
  multiline?: boolean;
}

const isVisible = (value: string): boolean => value.isWellFormed() && !hasHiddenCharacters(value);
/** As zod's `unicodeEmail`, and without the angle brackets around the address in `Zoe <zoe@example.com>`. */
const EMAIL = /^[^\s@"<>]{1,64}@[^\s@<>]{1,255}$/u;

/** Validates a string of a client: by default not empty. */
export const text = ({ max = MAX_TEXT, allowEmpty = false, multiline = false }: TextOptions = {}) =>
  z
    .string()
    .min(allowEmpty ? 0 : 1, 'Must not be empty.')
    .max(max, `Must be at most ${max.toLocaleString('en')} characters long.`)
    // A lone surrogate has no UTF-8 encoding: the stored text would differ from the input.
    .refine((value) => value.isWellFormed(), 'Must be well-formed Unicode.')
    .refine(
      (value) => multiline || !hasHiddenCharacters(value),
      'Must not contain control characters, line breaks or bidirectional marks.',
    );

/** Validates a name or an identifier that is stored without white space around it. */
export const trimmedText = z.string().trim().pipe(text());

/** Validates an email address of a client, which need not be ASCII. */
export const emailAddress = z
  .email({ pattern: EMAIL, error: 'Must be an email address.' })
  .max(MAX_TEXT)
  .refine(isVisible, 'Must be an email address.');

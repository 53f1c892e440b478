import { z } from 'zod';

interface TextOptions {
  /** Largest number of characters. */
  max?: number;
  allowEmpty?: boolean;
}

/** Validates a string of a client: not empty and at most 500 characters unless specified otherwise (contract 4). */
export const text = ({ max = 500, allowEmpty = false }: TextOptions = {}) =>
  z
    .string()
    .min(allowEmpty ? 0 : 1, 'Must not be empty.')
    .max(max, `Must be at most ${max.toLocaleString('en')} characters long.`)
    // A lone surrogate has no UTF-8 encoding: the stored text would differ from the one sent.
    .refine((value) => value.isWellFormed(), 'Must be well-formed Unicode.');

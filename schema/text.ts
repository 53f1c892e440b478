import { z } from 'zod';

const atMost = (max: number) => `Must be at most ${max.toLocaleString('en')} characters long.`;

/** A string of a client's: not empty, 500 characters unless another bound is given (contract 4). */
export const text = (max = 500) =>
  z
    .string()
    .min(1, 'Must not be empty.')
    .max(max, atMost(max))
    // Half a surrogate pair has no UTF-8: what is stored would be another text.
    .refine((value) => value.isWellFormed(), 'Must be well-formed Unicode.');

import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { SETS } from '../samples/samples.types.ts';
import { MAX_STRING } from '../sidecar-limits.ts';

export const setName = z.enum(SETS);
export const stageName = z
  .string()
  .min(1)
  .max(MAX_STRING)
  .refine((name) => name.isWellFormed(), 'must be well-formed Unicode');

/** `GET /drift/history`; an empty parameter is one that was not given. */
const given = (value: unknown): unknown => (value === '' ? undefined : value);

export const HistoryQuery = z.strictObject({
  stage: z.preprocess(given, stageName.optional()),
  limit: z.preprocess(
    given,
    z
      .string()
      .regex(/^\d{1,3}$/, 'must be a whole number')
      .transform(Number)
      .pipe(z.number().min(1).max(200))
      .default(50),
  ),
});

/** `DELETE /samples`: no stage means all of them, an empty one is a mistake. */
export const RemovalQuery = z.strictObject({ set: setName, stage: stageName.optional() });

/** `POST /drift/check`. */
export const CheckInput = z.strictObject({ stage: stageName.nullish() });

export const Nothing = z.strictObject({});

/**
 * Input as its schema has it.
 * @throws AppError VALIDATION_FAILED
 */
export function parsed<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new AppError('VALIDATION_FAILED', 'The input is not valid.', { details });
}

import { z } from 'zod';
import { invalidInput } from '../../errors/app-error.ts';
import { SETS } from '../samples/samples.types.ts';
import { MAX_STRING_LENGTH } from '../sidecar-limits.ts';

export const setName = z.enum(SETS);
export const stageName = z
  .string()
  .min(1)
  .max(MAX_STRING_LENGTH)
  .refine((name) => name.isWellFormed(), 'Must be well-formed Unicode.');

const emptyToUndefined = (value: unknown): unknown => (value === '' ? undefined : value);

/** Parameters of `GET /drift/history`; an empty one counts as absent. */
export const HistoryQuery = z.strictObject({
  stage: z.preprocess(emptyToUndefined, stageName.optional()),
  limit: z.preprocess(
    emptyToUndefined,
    z
      .string()
      .regex(/^\d{1,3}$/, 'Must be an integer.')
      .transform(Number)
      .pipe(z.number().min(1).max(200))
      .default(50),
  ),
});

/** Parameters of `DELETE /samples`. Without a stage, the samples of all stages are removed; an empty stage is rejected. */
export const RemovalQuery = z.strictObject({ set: setName, stage: stageName.optional() });

/** Body of `POST /drift/check`. */
export const CheckInput = z.strictObject({ stage: stageName.nullish() });

export const NoInput = z.strictObject({});

/** @throws AppError VALIDATION_FAILED */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw invalidInput(details);
}

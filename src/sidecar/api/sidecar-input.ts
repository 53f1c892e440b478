import { z } from 'zod';
import { invalidInput } from '../../errors/app-error.ts';
import { dateTime } from '../../platform/date-time.ts';
import { HISTORY_DEFAULT, HISTORY_MAX, MAX_WEIGHT } from '../../shared/drift-limits.ts';
import { DRIFT_REFERENCES } from '../../shared/drift-references.ts';
import { isModelOutput } from '../psi/compare-sets.ts';
import { SETS } from '../samples/samples.types.ts';
import { MAX_FEATURES, MAX_STRING_LENGTH } from '../sidecar-limits.ts';

const setName = z.enum(SETS);
/** Name of a stage or a feature. */
const name = z
  .string()
  .min(1)
  .max(MAX_STRING_LENGTH)
  .refine((text) => text.isWellFormed(), 'Must be well-formed Unicode.');

const emptyToUndefined = (value: unknown): unknown => (value === '' ? undefined : value);

const optionalName = z.preprocess(emptyToUndefined, name.optional());

/** Parameter of every request; an empty one counts as absent, as in the next three. */
export const ModelQuery = z.strictObject({ model: optionalName });

/** Parameters of `GET /drift/status` and `GET /drift/performance`. */
export const StatusQuery = z.strictObject({ stage: optionalName });

/** Parameters of `GET /drift/feature`. */
export const FeatureQuery = z.strictObject({ feature: name, stage: optionalName });

/** Parameters of `GET /drift/history`. */
export const HistoryQuery = z
  .strictObject({
    stage: optionalName,
    overall: z.preprocess(
      emptyToUndefined,
      z
        .enum(['true', 'false'])
        .transform((text) => text === 'true')
        .optional(),
    ),
    feature: optionalName,
    limit: z.preprocess(
      emptyToUndefined,
      z
        .string()
        .regex(/^\d{1,3}$/, 'Must be an integer.')
        .transform(Number)
        .pipe(z.number().min(1).max(HISTORY_MAX))
        .default(HISTORY_DEFAULT),
    ),
  })
  .refine(({ stage, overall }) => stage === undefined || !overall, {
    path: ['overall'],
    message: 'Must not be true with a stage.',
  });

const FeatureSettingInput = z
  .strictObject({
    feature: name,
    weight: z.number().min(0).max(MAX_WEIGHT),
    threshold: z.number().positive().nullable(),
  })
  .refine(({ feature, weight }) => weight === 1 || !isModelOutput(feature), {
    path: ['weight'],
    message: 'Must be 1 for the prediction and the residual.',
  });

/** Body of `PUT /drift/features`. */
export const FeatureSettingsInput = z.strictObject({
  features: z
    .array(FeatureSettingInput)
    .max(MAX_FEATURES)
    .refine(
      (features) => new Set(features.map(({ feature }) => feature)).size === features.length,
      'Must not name a feature twice.',
    ),
});

/** Parameters of `DELETE /samples`. Without a stage, the samples of all stages are removed; an empty stage is rejected. */
export const RemovalQuery = z.strictObject({ set: setName, stage: name.optional() });

/** Body of `POST /drift/check`. */
export const CheckInput = z.strictObject({
  stage: name.nullish(),
  reference: z.enum(DRIFT_REFERENCES).nullish(),
  at: dateTime().nullish(),
});

export const NoInput = z.strictObject({});

/** @throws AppError VALIDATION_FAILED */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw invalidInput(details);
}

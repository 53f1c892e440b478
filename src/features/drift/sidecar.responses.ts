import { z } from 'zod';
import { dateTime } from '../../platform/date-time.ts';
import { DRIFT_REFERENCES } from '../../shared/drift-references.ts';
import { MAX_INT32 } from '../../shared/int32.ts';
import { FEATURE_TYPES } from './drift.types.ts';

/**
 * Schemas of the sidecar's responses (contract 9), limited to the fields in use; other fields are ignored. Optional
 * fields become null if they are absent, and are validated if they are present.
 */

const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? null);
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

const unit = z.number().min(0).max(1);
const psi = z.number().min(0);
const count = z.int().min(0).max(MAX_INT32);
const reference = z.enum(DRIFT_REFERENCES);
const instant = dateTime({ isLenient: true });

const sampleCounts = z.object({ reference: count, current: count });
const components = z.object({
  features: unit.nullable(),
  prediction: unit.nullable(),
  outcome: unit.nullable(),
});
const shares = z.object({ reference: unit, current: unit });
const componentDetail = z.object({
  noise: unit,
  significant: z.boolean(),
  noData: optional(z.boolean()),
  rowsNeeded: count,
  coverage: shares,
});
/** Details of the components; a component without a feature has none. */
const componentDetails = z.object({
  features: optional(componentDetail),
  prediction: optional(componentDetail),
  outcome: optional(componentDetail),
});
const categoryName = z.string().refine((name) => [...name].length <= 100);
const categoryChange = z
  .object({ count, names: z.array(categoryName).max(10) })
  .refine(({ count, names }) => names.length <= count);

const binCount = z.object({ count, share: unit });
const bin = z
  .object({
    lower: z.number().nullable(),
    upper: z.number().nullable(),
    category: z.string().nullable(),
    missing: z.boolean(),
    reference: binCount,
    current: binCount,
    contribution: psi,
  })
  .refine(({ lower, upper }) => lower === null || upper === null || lower <= upper)
  .refine(({ lower, upper, category, missing }) => {
    const isRange = lower !== null || upper !== null;
    return Number(isRange) + Number(category !== null) + Number(missing) <= 1;
  });

const featureDrift = z
  .object({
    feature: z.string().max(500),
    score: psi,
    drifted: z.boolean(),
    insufficientData: flag,
    type: optional(z.enum(FEATURE_TYPES)),
    weight: optional(z.number().min(0)),
    threshold: optional(z.number().min(0)),
    rows: optional(sampleCounts),
    missing: optional(shares),
    noise: optional(psi),
    significant: optional(z.boolean()),
    rowsNeeded: optional(count),
    coverage: optional(shares),
    jensenShannon: optional(unit),
    noData: optional(z.boolean()),
    newCategoryShare: optional(unit),
    newCategories: optional(categoryChange),
    vanishedCategories: optional(categoryChange),
    largestBin: optional(bin),
    exampleIds: z
      .array(z.string().max(200))
      .max(5)
      .nullish()
      .transform((ids) => ids ?? []),
  })
  .refine(({ drifted, insufficientData }) => !(drifted && insufficientData))
  .refine(({ drifted, significant }) => !(drifted && significant === false));

export const featureResponse = z.intersection(
  featureDrift,
  z.object({
    bins: z.array(bin).max(100),
    otherCategories: optional(z.object({ count, contribution: psi })),
    wasserstein: optional(z.number().min(0)),
    outOfRange: optional(unit),
  }),
);

export const statusResponse = z.object({
  stage: optional(z.string()),
  isDrifted: z.boolean(),
  driftScore: unit,
  threshold: z.number(),
  method: z.string(),
  lastChecked: instant.nullable(),
  components: optional(components),
  componentDetails: optional(componentDetails),
  insufficientData: flag,
  rows: optional(sampleCounts),
  reference: optional(reference),
  featureDrifts: z.array(featureDrift),
});

export const historyResponse = z.array(
  z.object({
    id: z.string(),
    driftScore: unit,
    isDrifted: z.boolean(),
    method: z.string(),
    stage: z.string().nullable(),
    checkedAt: instant,
    components: optional(components),
    componentDetails: optional(componentDetails),
    insufficientData: flag,
    rows: optional(sampleCounts),
    reference: optional(reference),
    featureScore: optional(psi),
  }),
);

export const checkResponse = z.object({
  success: z.boolean(),
  stage: z.string().nullable().optional(),
  id: optional(z.string()),
  checkedAt: optional(instant),
  driftScore: unit,
  isDrifted: z.boolean(),
  threshold: optional(z.number()),
  components: optional(components),
  componentDetails: optional(componentDetails),
  insufficientData: flag,
  rows: optional(sampleCounts),
  reference: optional(reference),
  at: optional(instant),
  featureDrifts: z.array(featureDrift).default([]),
});

export const stagesResponse = z
  .array(z.object({ stage: z.string().min(1).max(500), rows: sampleCounts }))
  .refine((stages) => new Set(stages.map(({ stage }) => stage)).size === stages.length);

const weeklyPerformance = z.object({
  week: instant,
  rows: count,
  outcomes: count,
  calibrationError: optional(unit),
  auc: optional(unit),
  accuracy: optional(unit),
  estimatedAccuracy: optional(unit),
});

export const performanceResponse = z.object({
  isProbabilistic: optional(z.boolean()),
  weeks: z.array(weeklyPerformance).max(53),
});

export const modelsResponse = z.array(z.object({ model: z.string().min(1).max(500) }));

export const settingsResponse = z.object({
  features: z.array(
    z.object({
      feature: z.string().max(500),
      weight: z.number().min(0),
      threshold: z.number().positive().nullable(),
    }),
  ),
});

export const healthResponse = z.object({
  modelVersion: z
    .preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string().nullable())
    .optional(),
});

/** Body of the sidecar's HTTP 404 for a stage or feature without samples. */
export const notFoundResponse = z.object({
  error: z.object({ code: z.literal('NOT_FOUND'), message: z.string().min(1).max(1_000) }),
});

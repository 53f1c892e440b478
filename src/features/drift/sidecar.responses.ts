import { z } from 'zod';
import { dateTimeText } from '../../platform/date-time.ts';

/** Schemas of the sidecar's responses (contract 9), limited to the fields in use; other fields are ignored. */

const unit = z.number().min(0).max(1);
const instant = dateTimeText().transform((text) => new Date(text));

const featureDrift = z.object({ feature: z.string(), score: z.number().min(0), drifted: z.boolean() });

export const statusResponse = z.object({
  isDrifted: z.boolean(),
  driftScore: unit,
  threshold: z.number(),
  method: z.string(),
  lastChecked: instant.nullable(),
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
  }),
);

export const checkResponse = z.object({
  success: z.boolean(),
  driftScore: unit,
  isDrifted: z.boolean(),
  featureDrifts: z.array(featureDrift).default([]),
});

export const healthResponse = z.object({ modelVersion: z.string().nullish() });

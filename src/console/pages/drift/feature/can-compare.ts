import type { FeatureDrift } from '../use-drift.ts';

/** Returns false for a sidecar without thresholds and types of features: it does not know their bins either. */
export const canCompare = (features: readonly Pick<FeatureDrift, 'type' | 'threshold'>[]): boolean =>
  features.some(({ type, threshold }) => type !== null || threshold !== null);

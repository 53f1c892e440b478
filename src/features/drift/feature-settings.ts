import { type ErrorDetail, invalidInput } from '../../errors/app-error.ts';
import type { FeatureSetting } from './drift.types.ts';

/** Names that are no input features, and have a component of the overall score of their own. */
const UNWEIGHTED = ['prediction', 'residual'];

/**
 * Requires distinct features, and the weight 1 of those that are not part of the weighted mean.
 * @throws AppError VALIDATION_FAILED with a path such as `features.1.weight`
 */
export function requireValidSettings(features: readonly FeatureSetting[]): void {
  const seen = new Set<string>();
  const details: ErrorDetail[] = features.flatMap(({ feature, weight }, index) => {
    const isRepeated = seen.has(feature);
    seen.add(feature);
    const issue = (field: string, message: string) => ({ path: `features.${index}.${field}`, message });
    return [
      ...(isRepeated ? [issue('feature', 'Must name each feature once.')] : []),
      ...(UNWEIGHTED.includes(feature) && weight !== 1
        ? [issue('weight', `Must be 1: ${feature} is not part of the weighted mean.`)]
        : []),
    ];
  });
  if (details.length > 0) throw invalidInput(details);
}

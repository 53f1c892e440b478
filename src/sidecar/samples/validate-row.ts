import type { ErrorDetail } from '../../errors.ts';
import { isObject } from '../../platform/is-object.ts';
import { MAX_NUMBER, MAX_ROW_FEATURES, MAX_STRING } from '../sidecar-limits.ts';
import { PREDICTION, RESIDUAL } from './samples.types.ts';

const KNOWN = new Set(['features', 'prediction', 'outcome']);

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' && value >= -MAX_NUMBER && value <= MAX_NUMBER;

/** Within the bound, and the same after it was stored: half of a surrogate pair has no UTF-8. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_STRING && value.isWellFormed();

const NUMBER = `must be a number between -${MAX_NUMBER} and ${MAX_NUMBER}`;

/**
 * What is wrong with a row, if anything is; a row without a problem is a `SampleRow`. By hand: rows come by the
 * million, and a schema of zod takes longer over them than reading and storing them together.
 */
export function rowProblem(row: unknown): ErrorDetail | null {
  if (!isObject(row)) return { path: '', message: 'must be an object' };
  for (const field in row) {
    if (!KNOWN.has(field)) return { path: field, message: 'is not a field of a row' };
  }
  if (!isNumber(row.prediction)) return { path: 'prediction', message: NUMBER };
  if (row.outcome !== undefined && row.outcome !== null && !isNumber(row.outcome)) {
    return { path: 'outcome', message: `${NUMBER}, or null` };
  }
  return featuresProblem(row.features);
}

function featuresProblem(features: unknown): ErrorDetail | null {
  if (!isObject(features)) return { path: 'features', message: 'must be an object' };
  let count = 0;
  for (const name in features) {
    count += 1;
    const value = features[name];
    if (isNumber(value) || value === null || isText(value)) continue;
    const path = `features.${name.slice(0, MAX_STRING)}`;
    return { path, message: `${NUMBER}, a string of at most ${MAX_STRING} characters, or null` };
  }
  if (count > MAX_ROW_FEATURES) {
    return { path: 'features', message: `has ${count} features; ${MAX_ROW_FEATURES} are accepted` };
  }
  return null;
}

/** What is wrong with a feature's name, if anything is. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'is empty';
  if (!isText(name)) return `is not well-formed Unicode of at most ${MAX_STRING} characters`;
  if (name.includes('\0')) return 'holds a NUL character';
  if (name === PREDICTION || name === RESIDUAL) return 'is the name of a column that is compared anyway';
  return null;
}

/** What is wrong with a row's stage, if anything is. */
export const stageProblem = (stage: string | null): string | null =>
  stage === '' || (stage !== null && !isText(stage))
    ? `stage: must have 1 to ${MAX_STRING} characters`
    : null;

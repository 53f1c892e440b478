import type { ErrorDetail } from '../../errors/app-error.ts';
import { hasHiddenCharacters } from '../../platform/hidden-characters.ts';
import { isObject } from '../../platform/is-object.ts';
import { MAX_ID_LENGTH, MAX_NUMBER, MAX_ROW_FEATURES, MAX_STRING_LENGTH } from '../sidecar-limits.ts';
import { PREDICTION, RESIDUAL } from './samples.types.ts';

const KNOWN = new Set(['features', 'prediction', 'outcome', 'occurredAt', 'id']);

/**
 * RFC 3339 with an offset; `Date.parse` rejects impossible times, except days such as 30 February. Does not use
 * `parseDateTime`, which takes several times as long.
 */
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/;

export const isTime = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 40 && TIME.test(value) && !Number.isNaN(Date.parse(value));

/** True for a row's id, or none. */
export const isId = (value: unknown): boolean =>
  value == null || (isText(value) && value !== '' && value.length <= MAX_ID_LENGTH);

export const ID_REQUIRED = `Must be well-formed Unicode of 1 to ${MAX_ID_LENGTH} characters, or null.`;

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' && value >= -MAX_NUMBER && value <= MAX_NUMBER;

/** Returns true for a string within the length limit that UTF-8 can represent, which excludes lone surrogates. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_STRING_LENGTH && value.isWellFormed();

const IN_RANGE = `Must be a number between -${MAX_NUMBER} and ${MAX_NUMBER}`;

export const NUMBER_REQUIRED = `${IN_RANGE}.`;

export const OUTCOME_REQUIRED = `${IN_RANGE}, or null.`;

export const TIME_REQUIRED =
  'Must be an ISO 8601 date and time with an offset, such as 2026-01-31T09:30:00Z, or null.';

export const FEATURE_REQUIRED = `${IN_RANGE}, a string of at most ${MAX_STRING_LENGTH} characters, or null.`;

/**
 * Returns the problem of a row; null for a valid `SampleRow`. Does not use zod, because requests contain many
 * thousands of rows, and a zod schema takes longer than parsing and storing them together.
 */
export function rowProblem(row: unknown): ErrorDetail | null {
  if (!isObject(row)) return { path: '', message: 'Must be an object.' };
  for (const field in row) {
    if (!KNOWN.has(field)) return { path: field.slice(0, MAX_STRING_LENGTH), message: 'Unknown field.' };
  }
  if (!isNumber(row.prediction)) return { path: 'prediction', message: NUMBER_REQUIRED };
  if (row.outcome !== undefined && row.outcome !== null && !isNumber(row.outcome)) {
    return { path: 'outcome', message: OUTCOME_REQUIRED };
  }
  if (row.occurredAt !== undefined && row.occurredAt !== null && !isTime(row.occurredAt)) {
    return { path: 'occurredAt', message: TIME_REQUIRED };
  }
  if (!isId(row.id)) return { path: 'id', message: ID_REQUIRED };
  return featuresProblem(row.features);
}

function featuresProblem(features: unknown): ErrorDetail | null {
  if (!isObject(features)) return { path: 'features', message: 'Must be an object.' };
  let count = 0;
  for (const name in features) {
    count += 1;
    const value = features[name];
    if (isNumber(value) || value === null || isText(value)) continue;
    const path = `features.${name.slice(0, MAX_STRING_LENGTH)}`;
    return { path, message: FEATURE_REQUIRED };
  }
  if (count > MAX_ROW_FEATURES) {
    return { path: 'features', message: `Has ${count} features; the maximum is ${MAX_ROW_FEATURES}.` };
  }
  return null;
}

/** Returns the problem of a feature name; null if it is valid. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'The feature name must not be empty.';
  if (!isText(name))
    return `The feature name must be well-formed Unicode of at most ${MAX_STRING_LENGTH} characters.`;
  if (name.includes('\0')) return 'The feature name must not contain NUL.';
  if (name === PREDICTION || name === RESIDUAL) return 'The feature name is reserved.';
  return null;
}

/** True for a name of a stage or a model that the service accepts (contract 9). */
export const isScopeName = (value: unknown): value is string =>
  isText(value) && value !== '' && !hasHiddenCharacters(value);

export const SCOPE_NAME_REQUIRED = `Must be a string of 1 to ${MAX_STRING_LENGTH} characters without control characters, line breaks and bidirectional marks`;

/** Returns the problem of a row's stage; null if it is valid. */
export const stageProblem = (stage: string | null): string | null =>
  stage === null || isScopeName(stage) ? null : `stage: ${SCOPE_NAME_REQUIRED}.`;

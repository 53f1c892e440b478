import { AppError, type ErrorDetail } from '../../errors/app-error.ts';
import { parseJson } from '../../platform/http/parse-json-body.ts';
import { isObject } from '../../platform/is-object.ts';
import { releaseBuffer } from '../../platform/release-buffer.ts';
import { MAX_ROWS, MAX_STRING_LENGTH } from '../sidecar-limits.ts';
import { readColumnsBody } from './columns-body.ts';
import { type EncodedRows, encodeRows, RowsError } from './encode-rows.ts';
import { type SampleSet, SETS } from './samples.types.ts';
import { isScopeName, SCOPE_NAME_REQUIRED } from './validate-row.ts';

/** The validated samples of one request. */
export interface Samples {
  set: SampleSet;
  /** Null for samples without a stage, which only count in checks of all samples. */
  stage: string | null;
  encoded: EncodedRows;
}

const invalid = (details: ErrorDetail[]): AppError =>
  new AppError('VALIDATION_FAILED', 'The samples are not valid.', { details });

/** Format of a body: JSON, or `COLUMNS_TYPE`. */
export type SamplesFormat = 'json' | 'columns';

/**
 * Parses the body of `POST /samples`. Its memory is freed, or belongs to the result.
 * @throws AppError BAD_REQUEST if it is malformed; VALIDATION_FAILED with the problems, rows by position
 */
export function readSamples(body: Uint8Array, format: SamplesFormat): Samples {
  try {
    return format === 'columns' ? readColumns(body) : readRows(body);
  } catch (error) {
    throw error instanceof RowsError ? invalid(error.details) : error;
  }
}

function readRows(body: Uint8Array): Samples {
  const { rows, ...envelope } = requireObject(parseJson(body));
  releaseBuffer(body.buffer);
  const goodRows = Array.isArray(rows) && rows.length <= MAX_ROWS ? rows : null;
  const details = goodRows
    ? []
    : [{ path: 'rows', message: `Must be an array of at most ${MAX_ROWS} rows.` }];
  const { set, stage } = requireEnvelope(envelope, details);
  return { set, stage, encoded: encodeRows(goodRows ?? []) };
}

function readColumns(body: Uint8Array): Samples {
  const { envelope, encoded } = readColumnsBody(body);
  return { ...requireEnvelope(envelope), encoded };
}

const FIELDS = ['set', 'stage'];

function requireObject(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw invalid([{ path: '', message: 'Must be an object.' }]);
  return value;
}

/**
 * Validates the fields other than the rows, without zod, which would take 18 MB in this thread.
 * @param rowDetails problems of the rows, which are reported as well
 */
function requireEnvelope(
  value: Record<string, unknown>,
  rowDetails: readonly ErrorDetail[] = [],
): Pick<Samples, 'set' | 'stage'> {
  const { set, stage = null } = value;
  const details: ErrorDetail[] = Object.keys(value)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => ({ path: field.slice(0, MAX_STRING_LENGTH), message: 'Unknown field.' }));
  const knownSet = SETS.find((name) => name === set);
  if (!knownSet) details.push({ path: 'set', message: `Must be ${SETS.join(' or ')}.` });
  const goodStage = stage === null || isScopeName(stage) ? stage : undefined;
  if (goodStage === undefined) {
    details.push({ path: 'stage', message: `${SCOPE_NAME_REQUIRED}, or null.` });
  }
  details.push(...rowDetails);
  if (!knownSet || goodStage === undefined || details.length > 0) throw invalid(details);
  return { set: knownSet, stage: goodStage };
}

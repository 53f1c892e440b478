import { AppError, type ErrorDetail } from '../../errors/app-error.ts';
import { parseJson } from '../../platform/http/parse-json-body.ts';
import { isObject } from '../../platform/is-object.ts';
import { releaseBuffer } from '../../platform/release-buffer.ts';
import { MAX_ROWS, MAX_STRING_LENGTH } from '../sidecar-limits.ts';
import { type EncodedRows, encodeRows, RowsError } from './encode-rows.ts';
import { type SampleSet, SETS } from './samples.types.ts';
import { isText } from './validate-row.ts';

/** The validated samples of one request. */
export interface Samples {
  set: SampleSet;
  /** Null for samples without a stage, which only count in checks of all samples. */
  stage: string | null;
  encoded: EncodedRows;
}

const invalid = (details: ErrorDetail[]): AppError =>
  new AppError('VALIDATION_FAILED', 'The samples are not valid.', { details });

/**
 * Parses the body of `POST /samples` and frees its memory.
 * @throws AppError BAD_REQUEST if it is not JSON; VALIDATION_FAILED with the problems, rows by position
 */
export function readSamples(body: Uint8Array): Samples {
  const { set, stage, rows } = requireEnvelope(parseJson(body));
  releaseBuffer(body.buffer);
  try {
    return { set, stage, encoded: encodeRows(rows) };
  } catch (error) {
    throw error instanceof RowsError ? invalid(error.details) : error;
  }
}

const FIELDS = ['set', 'stage', 'rows'];

/** Validates without zod, which would take 18 MB in this thread. */
function requireEnvelope(value: unknown): Pick<Samples, 'set' | 'stage'> & { rows: unknown[] } {
  if (!isObject(value)) throw invalid([{ path: '', message: 'Must be an object.' }]);
  const { set, stage = null, rows } = value;
  const details: ErrorDetail[] = Object.keys(value)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => ({ path: field.slice(0, MAX_STRING_LENGTH), message: 'Unknown field.' }));
  const knownSet = SETS.find((name) => name === set);
  if (!knownSet) details.push({ path: 'set', message: `Must be ${SETS.join(' or ')}.` });
  const goodStage = stage === null || (isText(stage) && stage !== '') ? stage : undefined;
  if (goodStage === undefined) {
    details.push({
      path: 'stage',
      message: `Must be a string of 1 to ${MAX_STRING_LENGTH} characters, or null.`,
    });
  }
  const goodRows = Array.isArray(rows) && rows.length <= MAX_ROWS ? rows : undefined;
  if (!goodRows) details.push({ path: 'rows', message: `Must be an array of at most ${MAX_ROWS} rows.` });
  if (!knownSet || goodStage === undefined || !goodRows || details.length > 0) throw invalid(details);
  return { set: knownSet, stage: goodStage, rows: goodRows };
}

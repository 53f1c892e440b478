import { AppError } from '../../errors/app-error.ts';
import type { ColumnBuilder } from '../samples/column-builder.ts';
import {
  FEATURE_REQUIRED,
  isTime,
  NUMBER_REQUIRED,
  nameProblem,
  OUTCOME_REQUIRED,
  stageProblem,
  TIME_REQUIRED,
} from '../samples/validate-row.ts';
import { MAX_NUMBER, MAX_ROW_FEATURES, MAX_STRING_LENGTH } from '../sidecar-limits.ts';
import type { CsvRecord } from './csv-scanner.ts';
import type { RowPosition, RowReceiver } from './row-receiver.ts';
import type { SampleBatch } from './sample-batch.ts';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** Spellings of a missing value. */
const MISSING = /^nan$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/** Columns of a file by position. */
interface CsvHeader {
  names: string[];
  features: number[];
  prediction: number;
  /** -1 for none, like `stage` and `occurredAt`. */
  outcome: number;
  stage: number;
  occurredAt: number;
}

/** @throws AppError VALIDATION_FAILED */
export function readHeader({ texts, cells, problem: textProblem }: CsvRecord): CsvHeader {
  const invalidHeader = (problem: string) =>
    new AppError('VALIDATION_FAILED', `The header row is not valid. ${problem}`);
  if (textProblem) throw invalidHeader(textProblem);
  const names = texts.slice(0, cells);
  const prediction = names.indexOf('prediction');
  const outcome = names.indexOf('outcome');
  const stage = names.indexOf('stage');
  const occurredAt = names.indexOf('occurredAt');
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw invalidHeader(`It has two columns named ${name}.`);
    const problem = index === prediction ? null : nameProblem(name);
    if (problem) throw invalidHeader(`Column ${index + 1}: ${problem}`);
  }
  const features = [...names.keys()].filter(
    (index) => ![prediction, outcome, stage, occurredAt].includes(index),
  );
  if (features.length > MAX_ROW_FEATURES) {
    throw invalidHeader(`It has more than ${MAX_ROW_FEATURES} features.`);
  }
  if (prediction < 0) throw invalidHeader('It has no column named prediction.');
  return { names, features, prediction, outcome, stage, occurredAt };
}

/** Validates the records of a file and adds them to batches. */
export class CsvRows {
  readonly #header: CsvHeader;
  readonly #receiver: RowReceiver;
  /** Columns of the features, in their order in the header. */
  readonly #columnsByBatch = new WeakMap<SampleBatch, ColumnBuilder[]>();

  constructor(header: CsvHeader, receiver: RowReceiver) {
    this.#header = header;
    this.#receiver = receiver;
  }

  add(record: CsvRecord, position: RowPosition): void {
    const { features, prediction, outcome, stage, occurredAt } = this.#header;
    const problem = this.#problemOf(record);
    if (problem !== null) {
      this.#receiver.rejected(position, problem);
      return;
    }
    const { numbers, texts } = record;
    const batch = this.#receiver.batchOf((stage >= 0 && texts[stage]) || null);
    const columns = this.#columnsOf(batch);
    const row = batch.rows;
    batch.predictions.setNumber(row, numbers[prediction] as number);
    if (outcome >= 0) batch.outcomes.setNumber(row, numbers[outcome] as number);
    const time = (occurredAt >= 0 && texts[occurredAt]) || null;
    if (time !== null) batch.times.setNumber(row, Date.parse(time));
    for (let index = 0; index < features.length; index += 1) {
      const cell = features[index] as number;
      const column = columns[index] as ColumnBuilder;
      const text = texts[cell] as string;
      if (text === '') column.setNumber(row, numbers[cell] as number);
      else column.setWord(row, text);
    }
    this.#receiver.added(batch);
  }

  #columnsOf(batch: SampleBatch): ColumnBuilder[] {
    const known = this.#columnsByBatch.get(batch);
    if (known) return known;
    const { features, names } = this.#header;
    const columns = features.map((cell) => batch.feature(names[cell] as string));
    this.#columnsByBatch.set(batch, columns);
    return columns;
  }

  /** Converts cells that are neither plain decimals nor categories, and returns the problem of the record. */
  #problemOf(record: CsvRecord): string | null {
    const { names, prediction, outcome, stage, occurredAt } = this.#header;
    if (record.problem !== null) return record.problem;
    if (record.cells !== names.length) {
      return `The row has ${record.cells} cells; the header row has ${names.length}.`;
    }
    const { numbers, texts } = record;
    for (let cell = 0; cell < texts.length; cell += 1) {
      const text = texts[cell] as string;
      if (text === '') continue;
      if (cell === stage) {
        const problem = stageProblem(text);
        if (problem) return problem;
        continue;
      }
      if (cell === occurredAt) {
        if (!isTime(text)) return `occurredAt: ${TIME_REQUIRED}`;
        continue;
      }
      const name = names[cell] as string;
      if (INFINITE.test(text)) return `${name}: Must be finite.`;
      const value = NUMBER.test(text) ? Number(text) : Number.NaN;
      if (MISSING.test(text) || Math.abs(value) <= MAX_NUMBER) {
        numbers[cell] = value;
        texts[cell] = '';
      } else if (cell === prediction) return `prediction: ${NUMBER_REQUIRED}`;
      else if (cell === outcome) return `outcome: ${OUTCOME_REQUIRED}`;
      else if (!Number.isNaN(value) || text.length > MAX_STRING_LENGTH)
        return `features.${name}: ${FEATURE_REQUIRED}`;
    }
    return Number.isNaN(numbers[prediction]) ? `prediction: ${NUMBER_REQUIRED}` : null;
  }
}

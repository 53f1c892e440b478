import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../errors/app-error.ts';
import { MAX_ROW_FEATURES } from '../sidecar-limits.ts';
import { CsvRows, readHeader } from './csv-rows.ts';
import { CsvScanner } from './csv-scanner.ts';
import type { RowReceiver } from './row-receiver.ts';

/** Maximum size of a row, because an unclosed quotation mark would swallow the rest of the file. */
const MAX_ROW_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Columns that are not features: prediction, outcome, stage, time. One more shows that there are too many. */
const OTHER_COLUMNS = 5;

/**
 * Reads the rows of a CSV file. The header row names the features, `prediction`, and optionally `outcome`, `stage` and `occurredAt`.
 * An empty cell or `NaN` is a missing value, a number in decimal notation is a number, other text is a category.
 * @throws AppError VALIDATION_FAILED for an invalid header row, or a quotation mark that is not closed
 */
export async function readCsv(file: FileHandle, receiver: RowReceiver): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(MAX_ROW_BYTES + 1);
  let scanner = new CsvScanner({ buffer, width: MAX_ROW_FEATURES + OTHER_COLUMNS, isText: () => true });
  let rows: CsvRows | null = null;
  let row = 0;
  let filled = 0;
  let bytesRead = 0;
  for (let last = false; !last; ) {
    const chunk = await file.read(buffer, filled, MAX_ROW_BYTES - filled);
    last = chunk.bytesRead === 0;
    filled += chunk.bytesRead;
    let at = bytesRead === 0 && buffer.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    bytesRead += chunk.bytesRead;
    while (at < filled) {
      const next = scanner.next(at, filled, last);
      if (next < 0) break;
      at = next;
      if (scanner.record.blank) continue;
      if (rows) {
        row += 1;
        rows.add(scanner.record, { row, line: scanner.line });
        if (receiver.full) await receiver.send();
      } else {
        const header = readHeader(scanner.record);
        rows = new CsvRows(header, receiver);
        const { line } = scanner;
        scanner = new CsvScanner({
          buffer,
          width: header.names.length,
          isText: (cell) => cell === header.stage || cell === header.occurredAt,
        });
        scanner.line = line;
      }
    }
    if (at === 0 && filled === MAX_ROW_BYTES) throw tooLong(row + 1, scanner.line + 1);
    if (last && at < filled) throw notClosed(row + 1, scanner.line + 1);
    buffer.copyWithin(0, at, filled);
    filled -= at;
    receiver.progress(bytesRead);
  }
  if (!rows)
    throw new AppError(
      'VALIDATION_FAILED',
      'The file is empty; the header row with the column names is required.',
    );
}

const notClosed = (row: number, line: number): AppError =>
  new AppError(
    'VALIDATION_FAILED',
    `Row ${row}, which starts in line ${line}, has a quotation mark that is not closed.`,
  );

const tooLong = (row: number, line: number): AppError =>
  new AppError(
    'VALIDATION_FAILED',
    `Row ${row}, which starts in line ${line}, exceeds the maximum of ${MAX_ROW_BYTES} bytes; check that its quotation marks are closed.`,
  );

export interface Line {
  /** Line number, from 1; blank lines count. */
  number: number;
  /** Content without the line ending (`\n` or `\r\n`); null if the line is too long. */
  bytes: Buffer | null;
  /** Offset of the end of this line in the stream. */
  end: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const startsWithMark = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);

/**
 * Yields the lines of a stream with at most one line and one chunk in memory. Skips a leading byte order mark; the last
 * line needs no line ending.
 *
 * @param maxBytes maximum line length; a longer line has null `bytes`
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let end = 0;
  /** Pieces of the current, incomplete line. */
  let parts: Buffer[] = [];
  let length = 0;

  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  };
  const completeLine = (): Line => {
    number += 1;
    const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const bytes = length > maxBytes || !whole ? null : trimmed(whole, number);
    parts = [];
    length = 0;
    return { number, bytes, end };
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, at));
      end += at + 1 - start;
      start = at + 1;
      yield completeLine();
    }
    if (start === chunk.length) continue;
    add(chunk.subarray(start));
    end += chunk.length - start;
  }
  if (length > 0) yield completeLine();
}

function trimmed(line: Buffer, number: number): Buffer {
  const from = number === 1 && startsWithMark(line) ? BYTE_ORDER_MARK.length : 0;
  return line.subarray(from, line.at(-1) === CARRIAGE_RETURN ? -1 : undefined);
}

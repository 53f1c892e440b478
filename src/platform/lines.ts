/** One line of a stream. */
export interface Line {
  /** Place in the stream, from 1; blank lines count. */
  number: number;
  /** Without its end (`\n` or `\r\n`); null when it is longer than the bound, and was not kept. */
  bytes: Buffer | null;
  /** Bytes of the stream up to the end of this line. */
  end: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const startsWithMark = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);

/**
 * The lines of a stream, one at a time: no more than one line and one chunk are in memory. A byte order mark in
 * front is left out; the last line needs no end.
 *
 * @param maxBytes longest line that is kept; of a longer one only its number is told
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let end = 0;
  /** The line that is not yet whole. */
  let parts: Buffer[] = [];
  let length = 0;

  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  };
  const take = (): Line => {
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
      yield take();
    }
    if (start === chunk.length) continue;
    add(chunk.subarray(start));
    end += chunk.length - start;
  }
  if (length > 0) yield take();
}

function trimmed(line: Buffer, number: number): Buffer {
  const from = number === 1 && startsWithMark(line) ? BYTE_ORDER_MARK.length : 0;
  return line.subarray(from, line.at(-1) === CARRIAGE_RETURN ? -1 : undefined);
}

import type { ReactNode } from 'react';

/** Position in a text, in UTF-16 code units. */
export interface TextRange {
  start: number;
  end: number;
}

interface MarkedTextProps {
  text: string;
  /** Ranges to mark, in their order and without overlaps. */
  ranges: readonly TextRange[];
}

export function MarkedText({ text, ranges }: MarkedTextProps) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const range of ranges) {
    parts.push(
      text.slice(end, range.start),
      <mark key={range.start}>{text.slice(range.start, range.end)}</mark>,
    );
    end = range.end;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}

import { useState } from 'react';
import { ApiError } from '../../../api/graphql-client.ts';
import { DEFAULT_MAPPING, type Mapping } from './mapping-fields.ts';

/** What the service found wrong with a line, by the name of its field. */
export type LineProblems = Partial<Record<keyof Mapping, string>>;

/** A line while it is edited. */
export interface DraftLine extends Mapping {
  key: number;
  problems: LineProblems;
}

/** What the console adds to a line is no part of it. */
const toMapping = ({ sourceField, targetField, transform, required }: Mapping): Mapping => ({
  sourceField: sourceField.trim(),
  targetField: targetField.trim(),
  transform,
  required,
});

const EMPTY: Mapping = { sourceField: '', targetField: '', transform: 'none', required: false };
const AT_LINE = /^mappings\.(\d+)\.(\w+)$/;

let keys = 0;
const toLine = (mapping: Mapping): DraftLine => ({ ...toMapping(mapping), key: keys++, problems: {} });

/** A mapping while it is edited, beside the one that is saved. */
export function useMappingDraft(saved: readonly Mapping[]) {
  const [lines, setLines] = useState(() => saved.map(toLine));
  const mappings = lines.map(toMapping);
  return {
    lines,
    mappings,
    changed: JSON.stringify(mappings) !== JSON.stringify(saved.map(toMapping)),
    isDefault: JSON.stringify(mappings) === JSON.stringify(DEFAULT_MAPPING),
    add: () => setLines((before) => [...before, toLine(EMPTY)]),
    remove: (key: number) => setLines((before) => before.filter((line) => line.key !== key)),
    /** Changes a line; what was wrong with what is changed is not known any more. */
    edit: (key: number, change: Partial<Mapping>) =>
      setLines((before) =>
        before.map((line) => {
          if (line.key !== key) return line;
          const forgotten = Object.fromEntries(Object.keys(change).map((field) => [field, undefined]));
          return { ...line, ...change, problems: { ...line.problems, ...forgotten } };
        }),
      ),
    replace: (by: readonly Mapping[]) => setLines(by.map(toLine)),
    /** Puts what the service found wrong at the lines that it is about. */
    refuse: (error: unknown) => {
      const details = error instanceof ApiError ? error.details : [];
      setLines((before) =>
        before.map((line, index) => {
          const problems = details.flatMap(({ path, message }) => {
            const [, at, field = ''] = AT_LINE.exec(path) ?? [];
            return Number(at) === index ? [[field, message]] : [];
          });
          return { ...line, problems: Object.fromEntries(problems) };
        }),
      );
    },
  };
}

/** What of an error is about no line: that stands above them all. */
export function besideLines(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_FAILED') return error;
  const details = error.details.filter(({ path }) => !AT_LINE.test(path));
  const count = error.details.length - details.length;
  const message = count > 0 ? `${error.message} The table says what is wrong.` : error.message;
  return new ApiError(error.code, message, details, error.requestId);
}

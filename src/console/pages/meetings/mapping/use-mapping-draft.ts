import { useState } from 'react';
import { ApiError } from '../../../api/graphql-client.ts';
import { DEFAULT_POINTERS, type Mapping } from './mapping-fields.ts';

export type RowErrors = Partial<Record<keyof Mapping, string>>;

export interface DraftRow extends Mapping {
  key: number;
  errors: RowErrors;
}

/** Removes the console's own fields from a row. */
const toMapping = ({ sourceField, targetField, transform, required }: Mapping): Mapping => ({
  sourceField: sourceField.trim(),
  targetField: targetField.trim(),
  transform,
  required,
});

const EMPTY_MAPPING: Mapping = { sourceField: '', targetField: '', transform: 'none', required: false };
const ROW_ERROR_PATH = /^mappings\.(\d+)\.(\w+)$/;

let nextKey = 0;
const toRow = (mapping: Mapping): DraftRow => ({ ...toMapping(mapping), key: nextKey++, errors: {} });

/** State of the mapping being edited, next to the saved one. */
export function useMappingDraft(saved: readonly Mapping[]) {
  const [rows, setRows] = useState(() => saved.map(toRow));
  const mappings = rows.map(toMapping);
  return {
    rows,
    mappings,
    changed: JSON.stringify(mappings) !== JSON.stringify(saved.map(toMapping)),
    isDefault: JSON.stringify(mappings) === JSON.stringify(DEFAULT_POINTERS),
    add: () => setRows((before) => [...before, toRow(EMPTY_MAPPING)]),
    remove: (key: number) => setRows((before) => before.filter((row) => row.key !== key)),
    /** Changes a row and clears the validation messages of the changed fields. */
    edit: (key: number, change: Partial<Mapping>) =>
      setRows((before) =>
        before.map((row) => {
          if (row.key !== key) return row;
          const cleared = Object.fromEntries(Object.keys(change).map((field) => [field, undefined]));
          return { ...row, ...change, errors: { ...row.errors, ...cleared } };
        }),
      ),
    replace: (next: readonly Mapping[]) => setRows(next.map(toRow)),
    /** Assigns the service's validation messages to their rows. */
    showErrors: (error: unknown) => {
      const details = error instanceof ApiError ? error.details : [];
      setRows((before) =>
        before.map((row, index) => {
          const errors = details.flatMap(({ path, message }) => {
            const [, rowIndex, field = ''] = ROW_ERROR_PATH.exec(path) ?? [];
            return Number(rowIndex) === index ? [[field, message]] : [];
          });
          return { ...row, errors: Object.fromEntries(errors) };
        }),
      );
    },
  };
}

/** Removes the details that the rows show from an error. */
export function withoutRowErrors(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_FAILED') return error;
  const details = error.details.filter(({ path }) => !ROW_ERROR_PATH.test(path));
  const count = error.details.length - details.length;
  const message = count > 0 ? `${error.message} See the table for details.` : error.message;
  return new ApiError(error.code, message, { details, requestId: error.requestId });
}

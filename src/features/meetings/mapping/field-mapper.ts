import type { Transform } from '../../../shared/field-mapping.ts';
import { isRecordPointer } from '../../../shared/source-pointers.ts';
import type { FieldMapping, PropertyValue } from '../meetings.types.ts';
import { type MappableMeeting, sourceFieldOf } from './source-fields.ts';

/** Maximum length of mapped values in characters. The meeting keeps the full text. */
const MAX_VALUE_LENGTH = 4_096;
const MAX_PERSON_LENGTH = 500;

/** An activity's value, with the warnings that a preview shows. */
export interface MappedField {
  value: PropertyValue;
  /** Reasons in English, without the value. */
  warnings: string[];
}

const TRANSFORM: Record<Transform, (text: string) => string> = {
  none: (text) => text,
  lowercase: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
};

const AS_JSON = 'Mapped as JSON text: the value is an object or a list.';

const withoutValue = (reason: string): MappedField => ({ value: null, warnings: [reason] });

function missing(sourceField: string, { record }: MappableMeeting): MappedField {
  if (!isRecordPointer(sourceField)) return withoutValue('The meeting has no value for this field.');
  return withoutValue(
    record === undefined
      ? "The provider's record of this meeting is not stored. A full resync stores it, unless it is too large."
      : "The provider's record of this meeting has no value at this pointer.",
  );
}

/** Converts a JSON value to a property: objects and lists become JSON text, a number out of range becomes null. */
function toProperty(value: unknown): PropertyValue {
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  // MongoDB stores well-formed Unicode only.
  return typeof value === 'string' ? value.toWellFormed() : (value as boolean);
}

function truncate(mapped: MappedField, maxLength: number): MappedField {
  const { value, warnings } = mapped;
  if (typeof value !== 'string' || value.length <= maxLength) return mapped;
  return {
    value: value.slice(0, maxLength).toWellFormed(),
    warnings: [...warnings, `Truncated to ${maxLength} characters.`],
  };
}

/** Maps a field of a valid mapping. Times become ISO 8601. The value is null if the meeting has none. */
export function mapField(
  { sourceField, targetField, transform }: FieldMapping,
  meeting: MappableMeeting,
): MappedField {
  const source = sourceFieldOf(sourceField)?.read(meeting);
  if (source == null) return missing(sourceField, meeting);
  const isJson = typeof source === 'object';
  const value = toProperty(source);
  const toText = (text: string, maxLength: number) =>
    truncate({ value: TRANSFORM[transform](text), warnings: [] }, maxLength);
  if (targetField === 'personExternalId')
    return isJson || value === null || typeof value === 'boolean'
      ? withoutValue('A person is identified by text or a number; the value is neither.')
      : toText(String(value), MAX_PERSON_LENGTH);
  if (isJson) return truncate({ value, warnings: [AS_JSON] }, MAX_VALUE_LENGTH);
  if (typeof value === 'string') return toText(value, MAX_VALUE_LENGTH);
  const warnings = transform === 'none' ? [] : [`Not transformed: ${transform} applies to text only.`];
  return { value, warnings };
}

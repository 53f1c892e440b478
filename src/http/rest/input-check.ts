import {
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { type InputIssues, joinPath } from '../../errors/input-issues.ts';
import { isObject } from '../../platform/is-object.ts';
import { isRequired, type Slot } from '../input-slot.ts';
import { maxItemsOf, tooManyItems, type Validated } from '../validation-bounds.ts';

/** Checks a value of parsed JSON at `path` and adds its issues. */
export type Check = (value: unknown, path: string, issues: InputIssues) => void;

/**
 * Compiles the check of an argument or field. Stricter than graphql-js: no single value for a list, no number for an
 * ID, no NUL and no malformed Unicode in strings, no unknown field.
 * @param parent input type of the field
 */
export const checkOf = (slot: Slot & Validated, parent?: Validated): Check =>
  typeCheck(slot.type, maxItemsOf(slot, parent));

function typeCheck(type: GraphQLInputType, maxItems: number): Check {
  if (isNonNullType(type)) {
    const inner = typeCheck(type.ofType, maxItems);
    return (value, path, issues) => {
      if (value === null) issues.add(path, 'Must not be null.');
      else inner(value, path, issues);
    };
  }
  const inner = isListType(type)
    ? listCheck(typeCheck(type.ofType, maxItems), maxItems)
    : isInputObjectType(type)
      ? lazily(() => objectCheck(Object.values(type.getFields()), type))
      : leafCheck(type);
  return (value, path, issues) => {
    if (value !== null) inner(value, path, issues);
  };
}

/** Compiles the check of an object: required, unknown and mistyped fields. */
export function objectCheck(slots: readonly (Slot & Validated)[], parent?: Validated): Check {
  const checks = new Map(slots.map((slot) => [slot.name, checkOf(slot, parent)]));
  const required = slots.filter(isRequired).map((slot) => slot.name);
  return (value, path, issues) => {
    if (!isObject(value)) {
      issues.add(path || 'body', 'Must be a JSON object.');
      return;
    }
    for (const name of required)
      if (!Object.hasOwn(value, name)) issues.add(joinPath(path, name), 'Is required.');
    for (const name of Object.keys(value)) {
      if (issues.full) return;
      const check = checks.get(name);
      if (check) check(value[name], joinPath(path, name), issues);
      else issues.add(joinPath(path, name), 'Unknown field.');
    }
  };
}

function listCheck(item: Check, maxItems: number): Check {
  return (value, path, issues) => {
    if (!Array.isArray(value)) {
      issues.add(path, 'Must be an array.');
      return;
    }
    if (value.length > maxItems) {
      issues.add(path, tooManyItems(maxItems));
      return;
    }
    for (let i = 0; i < value.length && !issues.full; i++) item(value[i], joinPath(path, i), issues);
  };
}

/** Defers compilation to first use, since input types may be recursive. */
function lazily(compile: () => Check): Check {
  let check: Check | undefined;
  return (value, path, issues) => {
    check ??= compile();
    check(value, path, issues);
  };
}

/** Checks of the built-in scalars: each returns a message, or null if the value is valid. */
const BUILT_IN_SCALARS: Record<string, (value: unknown) => string | null> = {
  Int: (value) =>
    Number.isInteger(value) && value === (Number(value) | 0) ? null : 'Must be a 32-bit integer.',
  Float: (value) => (Number.isFinite(value) ? null : 'Must be a number.'),
  Boolean: (value) => (typeof value === 'boolean' ? null : 'Must be true or false.'),
  String: (value) => textIssue(value),
  ID: (value) => textIssue(value),
};

function textIssue(value: unknown): string | null {
  if (typeof value !== 'string') return 'Must be a string.';
  if (value.includes('\0')) return 'Must not contain NUL.';
  return value.isWellFormed() ? null : 'Must be well-formed Unicode.';
}

function leafCheck(type: GraphQLLeafType): Check {
  if (isEnumType(type)) {
    const names = type.getValues().map((value) => value.name);
    const message = `Must be one of ${names.join(', ')}.`;
    return (value, path, issues) => {
      if (typeof value !== 'string' || !names.includes(value)) issues.add(path, message);
    };
  }
  const builtIn = BUILT_IN_SCALARS[type.name];
  if (builtIn) {
    return (value, path, issues) => {
      const message = builtIn(value);
      if (message) issues.add(path, message);
    };
  }
  return (value, path, issues) => {
    try {
      type.parseValue(value);
    } catch (error) {
      issues.add(path, error instanceof Error ? error.message : 'Is not valid.');
    }
  };
}

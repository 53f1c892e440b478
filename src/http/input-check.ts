import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
} from 'graphql';
import { type InputIssues, joinPath } from '../errors/input-issues.ts';
import { isObject } from '../platform/is-object.ts';
import { MAX_ITEMS, maxItemsOf, type Slot, tooManyItems } from './validation-bounds.ts';

/**
 * Checks the types in a value of parsed JSON, adds its issues below `path`, and returns the value as GraphQL coerces it.
 * A part with an issue is left out; undefined if that is the value itself.
 */
export type Check = (value: unknown, path: string, issues: InputIssues) => unknown;

/** Values that a surface accepts. */
interface InputRules {
  /** True if a single value stands for a list of one. */
  acceptsSingleItem: boolean;
  /** Checks of the built-in scalars: each returns a message, or null if the value is valid. */
  scalars: Record<string, (value: unknown) => string | null>;
  /** Checks of input types, which may be recursive. */
  compiled: WeakMap<GraphQLInputObjectType, Check>;
}

const NUMBERS_AND_BOOLEANS: InputRules['scalars'] = {
  Int: (value) =>
    Number.isInteger(value) && value === (Number(value) | 0) ? null : 'Must be a 32-bit integer.',
  Float: (value) => (Number.isFinite(value) ? null : 'Must be a number.'),
  Boolean: (value) => (typeof value === 'boolean' ? null : 'Must be true or false.'),
};

/** Stricter than graphql-js: no single value for a list, no number for an ID, no NUL and no malformed Unicode. */
const REST_RULES: InputRules = {
  acceptsSingleItem: false,
  scalars: { ...NUMBERS_AND_BOOLEANS, String: textIssue, ID: textIssue },
  compiled: new WeakMap(),
};

/** The values that graphql-js coerces. */
const GRAPHQL_RULES: InputRules = {
  acceptsSingleItem: true,
  scalars: {
    ...NUMBERS_AND_BOOLEANS,
    String: (value) => (typeof value === 'string' ? null : 'Must be a string.'),
    ID: (value) => (typeof value === 'string' || Number.isInteger(value) ? null : 'Must be a string.'),
  },
  compiled: new WeakMap(),
};

/** Compiles the check of a REST parameter or body field. */
export const checkOf = (slot: Slot): Check => typeCheck(slot.type, maxItemsOf(slot), REST_RULES);

/** Compiles the check of a REST object: required, unknown and mistyped fields. */
export const objectCheck = (slots: readonly Slot[]): Check =>
  fieldsCheck(new Map(slots.map((slot) => [slot.name, checkOf(slot)])), slots);

/**
 * Compiles the check of a GraphQL variable.
 * @param maxItems maximum number of items if the type is a list
 */
export const variableCheck = (type: GraphQLInputType, maxItems: number = MAX_ITEMS): Check =>
  typeCheck(type, maxItems, GRAPHQL_RULES);

function typeCheck(type: GraphQLInputType, maxItems: number, rules: InputRules): Check {
  if (isNonNullType(type)) {
    const inner = typeCheck(type.ofType, maxItems, rules);
    return (value, path, issues) => {
      if (value !== null) return inner(value, path, issues);
      issues.add(path, 'Must not be null.');
      return undefined;
    };
  }
  const inner = isListType(type)
    ? listCheck(typeCheck(type.ofType, maxItems, rules), maxItems, rules)
    : isInputObjectType(type)
      ? inputTypeCheck(type, rules)
      : leafCheck(type, rules);
  return (value, path, issues) => (value === null ? null : inner(value, path, issues));
}

function fieldsCheck(checks: ReadonlyMap<string, Check>, slots: readonly Slot[]): Check {
  const required = slots.filter(isRequiredArgument).map(({ name }) => name);
  const defaults = slots.flatMap(({ name, defaultValue }) =>
    defaultValue === undefined ? [] : [[name, defaultValue] as const],
  );
  return (value, path, issues) => {
    if (!isObject(value)) {
      issues.add(path || 'body', 'Must be a JSON object.');
      return undefined;
    }
    const coerced: Record<string, unknown> = Object.fromEntries(defaults);
    for (const name of required)
      if (!Object.hasOwn(value, name)) issues.add(joinPath(path, name), 'Is required.');
    for (const name of Object.keys(value)) {
      if (issues.full) break;
      const check = checks.get(name);
      const item = check?.(value[name], joinPath(path, name), issues);
      if (!check) issues.add(joinPath(path, name), 'Unknown field.');
      else if (item !== undefined) coerced[name] = item;
    }
    return coerced;
  };
}

function listCheck(item: Check, maxItems: number, { acceptsSingleItem }: InputRules): Check {
  return (value, path, issues) => {
    if (!Array.isArray(value)) {
      if (acceptsSingleItem) return [item(value, path, issues)];
      issues.add(path, 'Must be an array.');
      return undefined;
    }
    if (value.length > maxItems) {
      issues.add(path, tooManyItems(maxItems));
      return undefined;
    }
    const coerced: unknown[] = [];
    for (let i = 0; i < value.length && !issues.full; i++)
      coerced.push(item(value[i], joinPath(path, i), issues));
    return coerced;
  };
}

/** Compiles the check of an input type on first use, since input types may be recursive. */
function inputTypeCheck(type: GraphQLInputObjectType, rules: InputRules): Check {
  return (value, path, issues) => {
    let check = rules.compiled.get(type);
    if (!check) {
      const fields = Object.values(type.getFields());
      const checks = fields.map(
        (field) => [field.name, typeCheck(field.type, maxItemsOf(field, type), rules)] as const,
      );
      check = fieldsCheck(new Map(checks), fields);
      rules.compiled.set(type, check);
    }
    return check(value, path, issues);
  };
}

function textIssue(value: unknown): string | null {
  if (typeof value !== 'string') return 'Must be a string.';
  if (value.includes('\0')) return 'Must not contain NUL.';
  return value.isWellFormed() ? null : 'Must be well-formed Unicode.';
}

function leafCheck(type: GraphQLLeafType, { scalars }: InputRules): Check {
  if (isEnumType(type)) {
    const values = new Map<unknown, unknown>(type.getValues().map(({ name, value }) => [name, value]));
    const message = `Must be one of ${[...values.keys()].join(', ')}.`;
    return (value, path, issues) => {
      if (!values.has(value)) issues.add(path, message);
      return values.get(value);
    };
  }
  const builtIn = scalars[type.name];
  return (value, path, issues) => {
    const message = builtIn?.(value);
    if (message) {
      issues.add(path, message);
      return undefined;
    }
    try {
      return type.parseValue(value);
    } catch (error) {
      issues.add(path, error instanceof Error ? error.message : 'Is not valid.');
      return undefined;
    }
  };
}

import { closestMatch } from 'leven';
import type { ErrorDetail } from '../../../errors/app-error.ts';
import { InputIssues } from '../../../errors/input-issues.ts';
import { isObject } from '../../../platform/is-object.ts';
import { text } from '../../../platform/text-validation.ts';
import { CUSTOM_EVENT } from '../../../shared/custom-events.ts';
import { EVENT_NAMES, EVENT_TYPES } from '../../outbox/event-catalog.ts';
import {
  customTypeOf,
  type EventTypeName,
  exampleNameOf,
  isEventTypeName,
  isSentByDefault,
  storedType,
} from '../../outbox/event-type.ts';
import { createPatternCheck } from './filter-pattern.ts';

/**
 * The filter of an endpoint: a subset of MongoDB's query operators over the envelope of an event (contract 5). It is
 * checked when it is written, against the schemas of the event types that the endpoint receives, and evaluated when an
 * event is published (`filter-evaluation.ts`).
 */

/** Conditions by field or logical operator; all of them must hold. */
export type EndpointFilter = Record<string, unknown>;

/** Bounds of a filter: an event is matched against the filters of up to 50 endpoints before its client gets a response. */
const MAX_BYTES = 4_096;
const MAX_DEPTH = 5;
const MAX_CLAUSES = 50;
const MAX_LIST = 100;
const MAX_PATTERNS = 5;
/** Characters of an unknown path that a message quotes and compares with the known ones. */
const MAX_SHOWN = 200;

const COMPARISONS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'];
const LISTS = ['$in', '$nin'];
const OPERATORS = [...COMPARISONS, ...LISTS, '$exists', '$not', '$regex'];
const LOGICAL = ['$and', '$or'];

/** The parts of JSON Schema that describe the event types. */
interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: boolean | JsonSchema;
}

/** Values of a path in the subscribed event types. */
interface Field {
  /** JSON types of the values, without `null`. */
  types: Set<string>;
  /** All possible values, with `custom.*` for the names of all custom types; null if they are not enumerated. */
  values: Set<unknown> | null;
}

function* schemasIn(schema: JsonSchema, path: string): Generator<[string, JsonSchema]> {
  yield [path, schema];
  for (const [key, property] of Object.entries(schema.properties ?? {}))
    yield* schemasIn(property, path === '' ? key : `${path}.${key}`);
  if (schema.items) yield* schemasIn(schema.items, path);
}

const typesOf = ({ type = [] }: JsonSchema): string[] =>
  [type].flat().flatMap((name) => (name === 'null' ? [] : [name === 'integer' ? 'number' : name]));

/** The fields of some event types. */
interface Fields {
  /** Those with a name in the catalog, by their paths. */
  known: ReadonlyMap<string, Field>;
  find(path: string): Field | undefined;
}

/** A field below an object whose keys the customer chooses, such as `data.properties` of custom types. */
const ANY_FIELD: Field = { types: new Set(['string', 'number', 'boolean']), values: null };
const PROPERTY_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Returns the fields of the envelopes of these event types. */
function fieldsOf(names: readonly EventTypeName[]): Fields {
  const fields = new Map<string, Field>();
  const open = new Set<string>();
  const schemas = new Map(EVENT_TYPES.map(({ name, schema }) => [name, schema]));
  for (const [stored, ofType] of Map.groupBy(names, (name) => storedType(name).event)) {
    const data = schemas.get(stored) ?? {};
    const properties = { event: { type: 'string', enum: ofType }, ts: { type: 'number' }, data };
    for (const [path, found] of schemasIn({ properties }, '')) {
      if (found.additionalProperties === true) open.add(path);
      const known = fields.get(path);
      const isClosed = found.enum !== undefined && known?.values !== null;
      fields.set(path, {
        types: new Set([...(known?.types ?? []), ...typesOf(found)]),
        values: isClosed ? new Set([...(known?.values ?? []), ...(found.enum ?? [])]) : null,
      });
    }
  }
  fields.delete('');
  return {
    known: fields,
    find: (path) => fields.get(path) ?? (isWithin(open, path) ? ANY_FIELD : undefined),
  };
}

/** Returns true for a path below an object whose keys the customer chooses; keys of JavaScript's own objects are none. */
function isWithin(open: ReadonlySet<string>, path: string): boolean {
  const parent = [...open].find((prefix) => path.startsWith(`${prefix}.`));
  if (parent === undefined) return false;
  const keys = path.slice(parent.length + 1).split('.');
  return keys.every((key) => PROPERTY_KEY.test(key) && !(key in Object.prototype));
}

/**
 * Returns what is wrong with a filter, with paths that begin with `filter`.
 *
 * @param events event types that the endpoint receives; null for all customer events
 */
export function filterIssues(filter: EndpointFilter, events: readonly EventTypeName[] | null): ErrorDetail[] {
  const issues = new InputIssues();
  const fields = fieldsOf(events ?? EVENT_NAMES.filter(isSentByDefault));
  const patternProblem = createPatternCheck();
  let clauses = 0;
  let patterns = 0;
  /** Patterns after a refused one are not compiled: each may take long. */
  let isPatternRefused = false;

  function checkConditions(conditions: unknown, at: string, depth: number): void {
    if (!isObject(conditions)) {
      issues.add(at, 'Must be an object of conditions, such as {"data.value": {"$gte": 100}}.');
      return;
    }
    if (depth > MAX_DEPTH) {
      issues.add(at, `Must be nested at most ${MAX_DEPTH} levels deep.`);
      return;
    }
    const entries = Object.entries(conditions);
    if (entries.length === 0) issues.add(at, 'Must have a condition; the filter null selects all events.');
    for (const [key, value] of entries) {
      const path = `${at}.${key}`;
      if (LOGICAL.includes(key)) checkAlternatives(value, path, depth);
      else if (key.startsWith('$')) issues.add(path, misplacedOperator(key));
      else checkField(key, value, { at: path, depth });
    }
  }

  function checkAlternatives(list: unknown, at: string, depth: number): void {
    if (!Array.isArray(list) || list.length === 0 || list.length > MAX_CLAUSES) {
      issues.add(at, `Must be a list of 1 to ${MAX_CLAUSES} objects of conditions.`);
      return;
    }
    for (const [index, conditions] of list.entries())
      checkConditions(conditions, `${at}.${index}`, depth + 1);
  }

  function checkField(path: string, condition: unknown, { at, depth }: { at: string; depth: number }): void {
    const field = fields.find(path);
    if (!field) {
      issues.add(at, unknownPath(path, [...fields.known.keys()]));
      return;
    }
    if (depth > MAX_DEPTH) {
      issues.add(at, `Must be nested at most ${MAX_DEPTH} levels deep.`);
      return;
    }
    if (!isObject(condition)) {
      checkOperand('$eq', condition, { at, path, field });
      return;
    }
    const operators = Object.entries(condition);
    if (operators.length === 0) issues.add(at, `Must have one of the operators ${OPERATORS.join(', ')}.`);
    for (const [operator, operand] of operators) {
      const operandAt = `${at}.${operator}`;
      if (!operator.startsWith('$'))
        issues.add(
          operandAt,
          `Objects are not compared; use the path of a field, such as ${path}.${operator}.`,
        );
      else if (!OPERATORS.includes(operator)) issues.add(operandAt, unknownOperator(operator));
      else if (operator !== '$not') checkOperand(operator, operand, { at: operandAt, path, field });
      else if (isObject(operand)) checkField(path, operand, { at: operandAt, depth: depth + 1 });
      else issues.add(operandAt, 'Must be an object with operators, such as {"$gte": 100}.');
    }
  }

  interface Place {
    at: string;
    path: string;
    field: Field;
  }

  function checkOperand(operator: string, operand: unknown, place: Place): void {
    const { at } = place;
    clauses += 1;
    if (clauses === MAX_CLAUSES + 1) issues.add('filter', `Must have at most ${MAX_CLAUSES} conditions.`);
    if (operator === '$exists') {
      if (typeof operand !== 'boolean') issues.add(at, 'Must be true or false.');
    } else if (operator === '$regex') checkPattern(operand, place);
    else if (LISTS.includes(operator)) checkList(operand, place);
    else if (operator === '$eq' || operator === '$ne') checkValue(operand, place);
    else if (typeof operand !== 'number' && typeof operand !== 'string')
      issues.add(at, 'Must be a number or a string.');
    else checkType(operand, place);
  }

  function checkList(list: unknown, { at, ...place }: Place): void {
    if (!Array.isArray(list) || list.length === 0 || list.length > MAX_LIST) {
      issues.add(at, `Must be a list of 1 to ${MAX_LIST} values.`);
      return;
    }
    for (const [index, value] of list.entries()) checkValue(value, { at: `${at}.${index}`, ...place });
  }

  function checkValue(value: unknown, place: Place): void {
    const { at, field } = place;
    if (value === null) return;
    if (Array.isArray(value)) {
      issues.add(at, 'Lists are not compared; use $in with the values.');
      return;
    }
    if (!checkType(value, place) || !field.values) return;
    const problem = valueProblem(value, field.values);
    if (problem !== null) issues.add(at, problem);
  }

  /** Returns whether the field of some subscribed event type can have values of this type. */
  function checkType(value: unknown, { at, path, field: { types } }: Place): boolean {
    const problem = scalarProblem(value) ?? typeProblem(value, path, types);
    if (problem !== null) issues.add(at, problem);
    return problem === null;
  }

  function checkPattern(pattern: unknown, place: Place): void {
    const { at } = place;
    patterns += 1;
    if (patterns === MAX_PATTERNS + 1) issues.add('filter', `Must have at most ${MAX_PATTERNS} patterns.`);
    if (typeof pattern !== 'string') {
      issues.add(at, 'Must be a regular expression as a string.');
      return;
    }
    if (!checkType(pattern, place) || patterns > MAX_PATTERNS || isPatternRefused) return;
    const problem = patternProblem(pattern);
    if (problem === null) return;
    isPatternRefused = true;
    issues.add(at, problem);
  }

  if (Buffer.byteLength(JSON.stringify(filter)) > MAX_BYTES)
    issues.add('filter', `Must be at most ${MAX_BYTES.toLocaleString('en')} bytes of JSON.`);
  else checkConditions(filter, 'filter', 1);
  return issues.details;
}

const misplacedOperator = (operator: string): string =>
  OPERATORS.includes(operator)
    ? `${operator} belongs below a field, such as {"data.value": {"${operator}": …}}.`
    : `${operator} is not supported; supported here: ${LOGICAL.join(', ')} and the path of a field.`;

const unknownOperator = (operator: string): string =>
  LOGICAL.includes(operator)
    ? `${operator} belongs beside fields, such as {"${operator}": [{"data.value": 1}]}.`
    : operator === '$options'
      ? 'Options are part of the pattern: it begins with (?i) to ignore case.'
      : `${operator} is not supported; supported: ${OPERATORS.join(', ')}.`;

const unknownPath = (path: string, known: readonly string[]): string => {
  const shown = path.slice(0, MAX_SHOWN);
  const nearest = known.find((other) => other.endsWith(`.${shown}`)) ?? closestMatch(shown, known);
  return `No subscribed event type has the field ${shown}; the nearest is ${nearest}.`;
};

const filterText = text({ allowEmpty: true, multiline: true });

function scalarProblem(value: unknown): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'Must be a finite number.';
  if (typeof value !== 'string') return null;
  return filterText.safeParse(value).error?.issues[0]?.message ?? null;
}

const CUSTOM_EXAMPLE = exampleNameOf(CUSTOM_EVENT);

/** A filter compares whole names: `custom.*` equals the name of no event, although it is among the values. */
function valueProblem(value: unknown, values: ReadonlySet<unknown>): string | null {
  const hasCustom = values.has(CUSTOM_EVENT);
  if (hasCustom && value === CUSTOM_EVENT)
    return `${CUSTOM_EVENT} is the name of no event; use that of a custom type, such as ${CUSTOM_EXAMPLE}, or for those of all {"$regex": "^custom[.]"}.`;
  if (values.has(value) || (hasCustom && isCustomName(value))) return null;
  const known = [...values].filter((other) => other !== null && other !== CUSTOM_EVENT);
  const custom = hasCustom ? [`custom. and a custom type, such as ${CUSTOM_EXAMPLE}`] : [];
  return `Must be one of ${[...known, ...custom].join(', ')}.`;
}

const isCustomName = (value: unknown): boolean =>
  typeof value === 'string' && isEventTypeName(value) && customTypeOf(value) !== null;

function typeProblem(value: unknown, path: string, types: ReadonlySet<string>): string | null {
  const comparable = [...types].filter((type) => type !== 'object' && type !== 'array');
  if (comparable.length === 0)
    return `${path} is an object or a list; use the path of one of its fields, or $exists.`;
  return types.has(typeof value) ? null : `${path} is a ${comparable.join(' or ')}, not a ${typeof value}.`;
}

import { closestMatch } from 'leven';
import { Context } from 'mingo/core';
import { $eq, $gt, $gte, $in, $lt, $lte, $ne, $nin } from 'mingo/operators/query/comparison';
import { $exists } from 'mingo/operators/query/element';
import { $and, $not, $or } from 'mingo/operators/query/logical';
import { Query } from 'mingo/query';
import { resolve } from 'mingo/util';
import { RE2JS } from 're2js';
import type { ErrorDetail } from '../../../errors/app-error.ts';
import { InputIssues } from '../../../errors/input-issues.ts';
import { isObject } from '../../../platform/is-object.ts';
import { EVENT_TYPES } from '../../outbox/event-catalog.ts';
import { CATALOG_TYPES, type EventTypeName, isSentByDefault, storedType } from '../../outbox/event-type.ts';

/**
 * The filter of an endpoint: a subset of MongoDB's query operators over the envelope of an event (contract 5). It is
 * checked when it is written, against the schemas of the event types that the endpoint receives, and evaluated when an
 * event is published. Evaluation follows MongoDB: a missing field is like null, and a condition on a list holds if it
 * holds for one of its items.
 */

/** Conditions by field or logical operator; all of them must hold. */
export type EndpointFilter = Record<string, unknown>;

/** Bounds of a filter: an event is matched against the filters of up to 50 endpoints before its client gets a response. */
const MAX_BYTES = 4_096;
const MAX_DEPTH = 5;
const MAX_CLAUSES = 50;
const MAX_LIST = 100;
const MAX_TEXT = 500;
const MAX_PATTERNS = 5;
/** Maximum number of instructions of a compiled pattern: counted repetitions make it several times as long as its text. */
const MAX_PATTERN_SIZE = 1_000;
/** Characters of a clause as `clauseText` describes it. */
const MAX_CLAUSE_TEXT = 200;

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
  /** All possible values; null if they are not enumerated. */
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
  const fields = fieldsOf(events ?? CATALOG_TYPES.filter(isSentByDefault));
  let clauses = 0;
  let patterns = 0;

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
    if (!checkType(value, place) || !field.values || field.values.has(value)) return;
    issues.add(at, `Must be one of ${[...field.values].filter((known) => known !== null).join(', ')}.`);
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
    if (!checkType(pattern, place)) return;
    const problem = patternProblem(pattern);
    if (problem !== null) issues.add(at, problem);
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
  const shown = path.slice(0, MAX_CLAUSE_TEXT);
  const nearest = known.find((other) => other.endsWith(`.${shown}`)) ?? closestMatch(shown, known);
  return `No subscribed event type has the field ${shown}; the nearest is ${nearest}.`;
};

function scalarProblem(value: unknown): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'Must be a finite number.';
  if (typeof value !== 'string') return null;
  if (value.length > MAX_TEXT) return `Must be at most ${MAX_TEXT} characters long.`;
  return value.isWellFormed() ? null : 'Must be well-formed Unicode.';
}

function typeProblem(value: unknown, path: string, types: ReadonlySet<string>): string | null {
  const comparable = [...types].filter((type) => type !== 'object' && type !== 'array');
  if (comparable.length === 0)
    return `${path} is an object or a list; use the path of one of its fields, or $exists.`;
  return types.has(typeof value) ? null : `${path} is a ${comparable.join(' or ')}, not a ${typeof value}.`;
}

/** Returns what is wrong with a pattern of a client. RE2 matches in linear time; JavaScript's own engine backtracks. */
function patternProblem(pattern: string): string | null {
  try {
    if (RE2JS.compile(pattern).programSize() <= MAX_PATTERN_SIZE) return null;
    return 'The pattern is too large; use shorter repetitions, or conditions on several fields.';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Must be a regular expression in the syntax of RE2, without lookaround and back-references: ${reason.slice(0, MAX_CLAUSE_TEXT)}.`;
  }
}

const PATTERN = '$re2';

/** Returns the value of a path; nested lists are flattened. */
function valueAt(envelope: Record<string, unknown>, path: string): unknown {
  const value: unknown = resolve(envelope, path);
  return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : value;
}

/** Operator for `$regex`: the value of the path, or an item of it, contains a match. */
function matchesPattern(path: string, pattern: unknown) {
  const expression = RE2JS.compile(String(pattern));
  return (envelope: Record<string, unknown>): boolean =>
    [valueAt(envelope, path)].flat().some((value) => {
      const isMatch = typeof value === 'string' && expression.test(value);
      // The engine caches states: up to 8 MiB a pattern.
      expression.reset();
      return isMatch;
    });
}

type Operator = typeof $eq;

/** Makes a comparison of the library reach the items of nested lists, as MongoDB does. */
const ofItems =
  (compare: Operator): Operator =>
  (path, operand, options) => {
    const test = compare('value', operand, options);
    return (envelope) => test({ value: valueAt(envelope, path) });
  };

const comparisons = { $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin };
const operators = {
  ...Object.fromEntries(Object.entries(comparisons).map(([name, compare]) => [name, ofItems(compare)])),
  ...{ $exists, $and, $or, $not },
};
// The library requires the type of an operator to be the intersection of the types of all its operators.
const context = Context.init({ query: { ...operators, [PATTERN]: matchesPattern as never } });

/** Parses a stored filter for evaluation: `$regex` of the library would run in JavaScript's own engine. */
const parseForEvaluation = (text: string): EndpointFilter =>
  JSON.parse(text, (_key, value) => {
    if (!isObject(value) || !('$regex' in value)) return value;
    const { $regex: pattern, ...others } = value;
    return { ...others, [PATTERN]: pattern };
  });

/** A condition that must hold for the filter to match. */
interface Clause {
  text: string;
  query: Query;
}

/** Splits a filter into the conditions that must all hold, so that a failed one can be named. */
function* clausesOf(filter: EndpointFilter): Generator<Clause> {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and') for (const part of condition as EndpointFilter[]) yield* clausesOf(part);
    else if (isObject(condition))
      for (const [operator, operand] of Object.entries(condition)) {
        const text = clauseText(key, operator === PATTERN ? '$regex' : operator, operand);
        yield { text, query: new Query({ [key]: { [operator]: operand } }, { context }) };
      }
    else {
      const text = key === '$or' ? clauseText(key, condition) : clauseText(key, '$eq', condition);
      yield { text, query: new Query({ [key]: condition }, { context }) };
    }
  }
}

/** Returns path, operator and value of a clause, such as `data.value $gte 100`; for alternatives `$or` and the list. */
function clauseText(...parts: [...names: string[], operand: unknown]): string {
  const operand = JSON.stringify(parts.at(-1)).replaceAll(`"${PATTERN}"`, '"$regex"');
  return shortened([...parts.slice(0, -1), operand].join(' '));
}

const shortened = (text: string): string =>
  text.length > MAX_CLAUSE_TEXT ? `${text.slice(0, MAX_CLAUSE_TEXT - 1)}…` : text;

/**
 * Returns the value in an event of the path that a failed clause names, as JSON; null for alternatives, which name several
 * paths.
 */
export function clauseValue(clause: string, envelope: Record<string, unknown>): string | null {
  const [path = ''] = clause.split(' ', 1);
  if (path.startsWith('$')) return null;
  return shortened(JSON.stringify(valueAt(envelope, path) ?? null));
}

/** Returns the first clause of a filter that the envelope of an event fails; null if it passes the filter. */
export type FilterTest = (envelope: Record<string, unknown>) => string | null;

/** @param filter a valid filter as JSON text */
export function compileFilter(filter: string): FilterTest {
  const clauses = [...clausesOf(parseForEvaluation(filter))];
  return (envelope) => clauses.find(({ query }) => !query.test(envelope))?.text ?? null;
}

/** A stored endpoint. */
interface Filtered {
  /** JSON text; null or absent if it has none. */
  filter?: string | null;
}

/** Compiled filters by cached document: a filter is compiled again after each load of its tenant's endpoints. */
const compiled = new WeakMap<Filtered, FilterTest>();

/** Returns the first clause of the endpoint's filter that the envelope of an event fails; null if it passes the filter. */
export function failedClause(endpoint: Filtered, envelope: Record<string, unknown>): string | null {
  if (endpoint.filter == null) return null;
  const test = compiled.get(endpoint) ?? compileFilter(endpoint.filter);
  compiled.set(endpoint, test);
  return test(envelope);
}

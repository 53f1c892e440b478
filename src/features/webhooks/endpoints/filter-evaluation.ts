import { isObject } from '../../../platform/is-object.ts';
import type { EndpointFilter } from './filter.ts';
import { createPatternCompiler } from './filter-pattern.ts';

/**
 * Evaluates filters. It follows MongoDB: a missing field is like null, and a condition on a list holds if it holds for one
 * of its items. An event is matched against the filters of up to 50 endpoints before its client gets a response, so the
 * time of each is bounded: by the number of conditions, by `MAX_ITEMS` and by the steps of its patterns.
 */

/** Maximum number of list items on a path that a condition looks at. */
const MAX_ITEMS = 500;
/** Characters of a clause as `clauseText` describes it. */
const MAX_CLAUSE_TEXT = 200;

type Envelope = Record<string, unknown>;

/** What an envelope has at a path. */
interface Found {
  /** The value; of lists on the path, their items, also those of nested lists. Undefined where there is none. */
  items: readonly unknown[];
  isList: boolean;
  exists: boolean;
}

function valuesAt(envelope: Envelope, keys: readonly string[]): Found {
  const items: unknown[] = [];
  let isList = false;
  let exists = false;
  let left = MAX_ITEMS;

  function collect(value: unknown, depth: number): void {
    exists ||= depth === keys.length;
    if (Array.isArray(value)) collectItems(value, depth);
    else if (depth === keys.length) items.push(value);
    else if (isObject(value)) {
      const key = keys[depth] as string;
      if (Object.hasOwn(value, key)) collect(value[key], depth + 1);
      else items.push(undefined);
    }
  }

  function collectItems(list: readonly unknown[], depth: number): void {
    isList = true;
    for (const item of list) {
      left -= 1;
      if (left < 0) return;
      // A path leads through a list, not through a list in a list.
      if (depth === keys.length || !Array.isArray(item)) collect(item, depth);
    }
  }

  collect(envelope, 0);
  return { items: isList || items.length > 0 ? items : [undefined], isList, exists };
}

type Condition = (found: Found) => boolean;

const not =
  (condition: Condition): Condition =>
  (found) =>
    !condition(found);

const ofItem =
  (holds: (item: unknown) => boolean): Condition =>
  ({ items }) =>
    items.some(holds);

function isOneOf(values: unknown): Condition {
  const wanted = new Set(values as unknown[]);
  return ofItem((item) => wanted.has(item ?? null));
}

/** Creates a comparison of numbers and of strings; values of different types are not comparable. */
const comparison =
  (holds: (item: number | string, operand: number | string) => boolean) =>
  (operand: unknown): Condition =>
    ofItem(
      (item) => typeof item === typeof operand && holds(item as number | string, operand as number | string),
    );

const CONDITIONS = {
  $eq: (operand: unknown) => isOneOf([operand]),
  $ne: (operand: unknown) => not(isOneOf([operand])),
  $in: isOneOf,
  $nin: (operand: unknown) => not(isOneOf(operand)),
  $gt: comparison((item, operand) => item > operand),
  $gte: comparison((item, operand) => item >= operand),
  $lt: comparison((item, operand) => item < operand),
  $lte: comparison((item, operand) => item <= operand),
  $exists:
    (operand: unknown): Condition =>
    ({ exists }) =>
      exists === operand,
};

type EnvelopeTest = (envelope: Envelope) => boolean;

/** A condition that must hold for the filter to match. */
interface Clause {
  text: string;
  holds: EnvelopeTest;
}

/** Returns the conditions of a filter that must all hold, so that a failed one can be named. */
function clausesOf(filter: EndpointFilter): Clause[] {
  const compilePattern = createPatternCompiler();

  function conditionOf(operator: string, operand: unknown): Condition {
    if (operator === '$not') return not(allOf(operand as Record<string, unknown>));
    if (operator !== '$regex') return CONDITIONS[operator as keyof typeof CONDITIONS](operand);
    const isMatch = compilePattern(String(operand));
    return ({ items }) => isMatch(items);
  }

  function allOf(operators: Record<string, unknown>): Condition {
    const conditions = Object.entries(operators).map(([operator, operand]) => conditionOf(operator, operand));
    return (found) => conditions.every((condition) => condition(found));
  }

  function testOf(key: string, condition: unknown): EnvelopeTest {
    if (key === '$and' || key === '$or') {
      const parts = (condition as EndpointFilter[]).map(testOfAll);
      return key === '$and'
        ? (envelope) => parts.every((part) => part(envelope))
        : (envelope) => parts.some((part) => part(envelope));
    }
    const keys = key.split('.');
    const holds = allOf(isObject(condition) ? condition : { $eq: condition });
    return (envelope) => holds(valuesAt(envelope, keys));
  }

  function testOfAll(conditions: EndpointFilter): EnvelopeTest {
    const tests = Object.entries(conditions).map(([key, condition]) => testOf(key, condition));
    return (envelope) => tests.every((test) => test(envelope));
  }

  function* split(conditions: EndpointFilter): Generator<Clause> {
    for (const [key, condition] of Object.entries(conditions)) {
      if (key === '$and') for (const part of condition as EndpointFilter[]) yield* split(part);
      else if (isObject(condition))
        for (const [operator, operand] of Object.entries(condition))
          yield { text: clauseText(key, operator, operand), holds: testOf(key, { [operator]: operand }) };
      else {
        const text = key === '$or' ? clauseText(key, condition) : clauseText(key, '$eq', condition);
        yield { text, holds: testOf(key, condition) };
      }
    }
  }

  return [...split(filter)];
}

/** Returns path, operator and value of a clause, such as `data.value $gte 100`; for alternatives `$or` and the list. */
const clauseText = (...parts: [...names: string[], operand: unknown]): string =>
  shortened([...parts.slice(0, -1), JSON.stringify(parts.at(-1))].join(' '));

const shortened = (text: string): string =>
  text.length > MAX_CLAUSE_TEXT ? `${text.slice(0, MAX_CLAUSE_TEXT - 1)}…` : text;

/**
 * Returns the value in an event of the path that a failed clause names, as JSON; null for alternatives, which name several
 * paths.
 */
export function clauseValue(clause: string, envelope: Envelope): string | null {
  const [path = ''] = clause.split(' ', 1);
  if (path.startsWith('$')) return null;
  const { isList, items } = valuesAt(envelope, path.split('.'));
  return shortened(JSON.stringify(isList ? items : (items[0] ?? null)));
}

/** Returns the first clause of a filter that the envelope of an event fails; null if it passes the filter. */
export type FilterTest = (envelope: Envelope) => string | null;

/** @param filter a valid filter as JSON text */
export function compileFilter(filter: string): FilterTest {
  const clauses = clausesOf(JSON.parse(filter));
  return (envelope) => clauses.find(({ holds }) => !holds(envelope))?.text ?? null;
}

/** A stored endpoint. */
interface Filtered {
  /** JSON text; null or absent if it has none. */
  filter?: string | null;
}

/** Compiled filters by cached document: a filter is compiled again after each load of its tenant's endpoints. */
const compiled = new WeakMap<Filtered, FilterTest>();

/** Returns the first clause of the endpoint's filter that the envelope of an event fails; null if it passes the filter. */
export function failedClause(endpoint: Filtered, envelope: Envelope): string | null {
  if (endpoint.filter == null) return null;
  const test = compiled.get(endpoint) ?? compileFilter(endpoint.filter);
  compiled.set(endpoint, test);
  return test(envelope);
}

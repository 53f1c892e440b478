import { Context } from 'mingo/core';
import { $eq, $gt, $gte, $in, $lt, $lte, $ne, $nin } from 'mingo/operators/query/comparison';
import { $and, $not, $or } from 'mingo/operators/query/logical';
import { Query } from 'mingo/query';
import { isObject } from '../../../platform/is-object.ts';
import type { EndpointFilter } from './filter.ts';
import { createPatternCompiler } from './filter-pattern.ts';

/**
 * Evaluates filters. It follows MongoDB: a missing field is like null, and a condition on a list holds if it holds for one
 * of its items. The operators are those of mingo, on the values that this file finds: an event is matched against the filters
 * of up to 50 endpoints before its client gets a response, so the time of each is bounded: by the number of conditions, by
 * `MAX_ITEMS` and by the steps of its patterns.
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

/** Returns the value of a path for a comparison of the library, with null for what is missing. */
function comparedAt(envelope: Envelope, path: string): unknown {
  const { items, isList } = valuesAt(envelope, path.split('.'));
  return isList ? items.map((item) => item ?? null) : items[0];
}

type Operator = typeof $eq;

/** Makes a comparison of the library see what `valuesAt` finds. */
const bounded =
  (compare: Operator): Operator =>
  (path, operand, options) => {
    const test = compare('value', operand, options);
    return (envelope) => test({ value: comparedAt(envelope, path) });
  };

const comparisons = { $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin };
const operators = {
  ...Object.fromEntries(Object.entries(comparisons).map(([name, compare]) => [name, bounded(compare)])),
  ...{ $and, $or, $not },
  $exists: (path: string, operand: unknown) => (envelope: Envelope) =>
    valuesAt(envelope, path.split('.')).exists === operand,
};

/** Operator in place of `$regex`, which the library would run in JavaScript's own engine. */
const PATTERN = '$re2';

/** Returns the operators for a filter: its patterns share the steps that they may take. */
function contextOf(): Context {
  const compilePattern = createPatternCompiler();
  function matchesPattern(path: string, pattern: unknown) {
    const isMatch = compilePattern(String(pattern));
    return (envelope: Envelope) => isMatch(valuesAt(envelope, path.split('.')).items);
  }
  // The library requires the type of an operator to be the intersection of the types of all its operators.
  return Context.init({ query: { ...operators, [PATTERN]: matchesPattern } as never });
}

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
function* clausesOf(filter: EndpointFilter, context: Context): Generator<Clause> {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and') for (const part of condition as EndpointFilter[]) yield* clausesOf(part, context);
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
  const clauses = [...clausesOf(parseForEvaluation(filter), contextOf())];
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
export function failedClause(endpoint: Filtered, envelope: Envelope): string | null {
  if (endpoint.filter == null) return null;
  const test = compiled.get(endpoint) ?? compileFilter(endpoint.filter);
  compiled.set(endpoint, test);
  return test(envelope);
}

import { type GraphQLInputType, getNamedType, getNullableType, isLeafType } from 'graphql';
import type { Issues } from '../../errors/input-issues.ts';
import { checkOf, isRequired, type Slot } from './input-check.ts';

/** Reads a query string, strictly: every parameter known, given once and of its type. */
export type QueryReader = (query: string, issues: Issues) => Record<string, unknown>;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The JSON value that a parameter's text stands for; the text itself where it stands for none, which the check refuses. */
function jsonValue(type: GraphQLInputType, text: string): unknown {
  const { name } = getNamedType(type);
  if (name === 'Int' && INTEGER.test(text)) return Number(text);
  if (name === 'Float' && DECIMAL.test(text)) return Number(text);
  if (name === 'Boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** @throws Error at start when a parameter is a list or an object, which no query string can say unambiguously */
export function queryReader(slots: readonly Slot[]): QueryReader {
  const parameters = new Map(
    slots.map((slot) => {
      if (!isLeafType(getNullableType(slot.type)))
        throw new Error(`${slot.name} cannot be a query parameter`);
      return [slot.name, { type: slot.type, check: checkOf(slot.type) }];
    }),
  );
  const required = slots.filter(isRequired).map((slot) => slot.name);

  return (query, issues) => {
    const values: Record<string, unknown> = {};
    const given = new URLSearchParams(query);
    for (const name of new Set(given.keys())) {
      const parameter = parameters.get(name);
      const [text = '', ...more] = given.getAll(name);
      if (!parameter) issues.add(name, 'Is not known.');
      else if (more.length) issues.add(name, 'Must be given once.');
      else {
        values[name] = jsonValue(parameter.type, text);
        parameter.check(values[name], name, issues);
      }
    }
    for (const name of required) if (!given.has(name)) issues.add(name, 'Is required.');
    return values;
  };
}

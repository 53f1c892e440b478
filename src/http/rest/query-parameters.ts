import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isLeafType,
  isRequiredArgument,
} from 'graphql';
import type { InputIssues } from '../../errors/input-issues.ts';
import { checkOf } from '../input-check.ts';
import type { Slot } from '../validation-bounds.ts';

/** Valid parameters of a query string: as JSON, and as GraphQL coerces them. */
export interface QueryValues {
  sent: Record<string, unknown>;
  coerced: Record<string, unknown>;
}

/** Reads a query string strictly: each parameter must be known, appear once and match its type. */
type QueryReader = (query: string, issues: InputIssues) => QueryValues;

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Converts a parameter's text to the JSON value of its type; malformed text stays text, which the check rejects. */
function jsonValue(type: GraphQLInputType, text: string): unknown {
  const { name } = getNamedType(type);
  if (name === 'Int' && INTEGER.test(text)) return Number(text);
  if (name === 'Float' && DECIMAL.test(text)) return Number(text);
  if (name === 'Boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** @throws Error at start if a parameter is a list or an object: query strings have no unambiguous syntax for them */
export function queryReader(slots: readonly Slot[]): QueryReader {
  const parameters = new Map(
    slots.map((slot) => {
      if (!isLeafType(getNullableType(slot.type)))
        throw new Error(`${slot.name} cannot be a query parameter`);
      return [slot.name, { type: slot.type, check: checkOf(slot) }];
    }),
  );
  const required = slots.filter(isRequiredArgument).map((slot) => slot.name);

  return (query, issues) => {
    const values: QueryValues = { sent: {}, coerced: {} };
    const sent = new URLSearchParams(query);
    for (const name of new Set(sent.keys())) {
      const parameter = parameters.get(name);
      const [text = '', ...repeated] = sent.getAll(name);
      if (!parameter) issues.add(name, 'Unknown query parameter.');
      else if (repeated.length) issues.add(name, 'Must not be repeated.');
      else {
        values.sent[name] = jsonValue(parameter.type, text);
        values.coerced[name] = parameter.check(values.sent[name], name, issues);
      }
    }
    for (const name of required) if (!sent.has(name)) issues.add(name, 'Is required.');
    return values;
  };
}

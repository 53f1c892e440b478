import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { DATE_TIME, parseDateTime } from '../src/platform/date-time.ts';
import { isObject } from '../src/platform/is-object.ts';
import { builder, EVERY_SUB_GRAPH } from './builder.ts';

/** @throws GraphQLError with `message` if the value names no time */
function requireDateTime(value: unknown, nodes?: ValueNode, message = `${DATE_TIME}.`): Date {
  const at = parseDateTime(value);
  if (!at) throw new GraphQLError(message, { nodes });
  return at;
}

builder.scalarType('DateTime', {
  subGraphs: [...EVERY_SUB_GRAPH],
  description:
    'A point in time as ISO 8601 with an offset, such as `2026-01-31T09:30:00.000Z`, or a date, which is its midnight in UTC. Output is always in UTC with milliseconds, and conforms to RFC 3339.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: (value) => value.toISOString() as unknown as Date,
  parseValue: (value) => requireDateTime(value),
  parseLiteral: (node) => requireDateTime(node.kind === Kind.STRING ? node.value : null, node),
});

/** Unix time in seconds; 11 digits last until the year 5138. */
const UNIX_SECONDS = /^\d{1,11}$/;

function parseInstant(value: unknown, nodes?: ValueNode): Date {
  if (typeof value === 'string' && UNIX_SECONDS.test(value)) return new Date(Number(value) * 1000);
  return requireDateTime(value, nodes, `${DATE_TIME}, or Unix time in seconds.`);
}

builder.scalarType('Instant', {
  subGraphs: ['preview'],
  description:
    'A point in time as ISO 8601 with an offset, such as `2026-01-31T09:30:00Z`, a date, which is its midnight in UTC, or Unix time in seconds.',
  serialize: (value) => value.toISOString() as unknown as Date,
  parseValue: (value) => parseInstant(value),
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : null, node),
});

function parseObject(value: unknown, nodes?: ValueNode): Record<string, unknown> {
  if (!isObject(value)) throw new GraphQLError('Must be a JSON object.', { nodes });
  return { ...value };
}

builder.scalarType('JSON', {
  subGraphs: [...EVERY_SUB_GRAPH],
  description: 'A JSON object with keys of any name.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  serialize: (value) => value,
  parseValue: (value) => parseObject(value),
  parseLiteral: (node, variables) => parseObject(valueFromASTUntyped(node, variables), node),
});

/** Describes the values of an `Instant` in the descriptions of arguments. */
export const INSTANT = 'ISO 8601 with an offset, a date, or Unix time in seconds.';

/** Extensions of a `Float` field that has whole numbers beyond 32 bits. */
export const INT64 = { jsonSchema: { type: 'integer', format: 'int64' } };

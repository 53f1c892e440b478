import { getNullableType, isInputObjectType } from 'graphql';
import { newApiKey } from '../../src/features/tenants/api-key.ts';
import type { Route } from '../../src/http/rest/rest-routes.ts';
import { isRequired, mistakesOf, queryMistakesOf, type Slot, withValue } from './mistakes.ts';
import { type Fixture, REST_SAMPLES } from './samples.ts';

const MIB = 1024 * 1024;

/** A request that differs from the sample in one thing, and what must come of it. */
export interface BadRequest {
  what: string;
  status: number;
  /** Field or parameter that the details have to name. */
  names?: string;
  key?: string | null;
  method?: string;
  params?: Record<string, unknown>;
  query?: string;
  /** As it is sent, or to be sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** True if the route's arguments are fields of its body. */
export const takesBody = ({ method }: Route) => method === 'POST' || method === 'PATCH';
/** True if the route reads its body, also if that has no fields. */
export const readsBody = ({ method }: Route) => method !== 'GET';
/** A valid request for a route. */
export const sampleOf = ({ fieldId }: Route) => REST_SAMPLES[fieldId] ?? {};

/** Arguments that are not in the path, by where the client writes them. */
function slotsOf(route: Route): Slot[] {
  const inPath = route.parameters.map((name) => route.params?.[name] ?? name);
  const free = route.field.args.filter(({ name }) => !inPath.includes(name));
  const whole = route.body && free.find(({ name }) => name === route.body);
  const type = whole && getNullableType(whole.type);
  return isInputObjectType(type) ? Object.values(type.getFields()) : free;
}

const short = (value: unknown) => JSON.stringify(value).slice(0, 60);

/** Bodies that can be read and are wrong. */
export function badFields(route: Route): BadRequest[] {
  const { body = {}, wrong = [] } = sampleOf(route);
  const slots = slotsOf(route);
  const values = [
    ...slots.flatMap((slot) => mistakesOf(slot).map((value) => [slot.name, value] as const)),
    // An ID may be a number in GraphQL, not in JSON.
    ...slots.flatMap(({ name, type }) => (String(type).startsWith('ID') ? [[name, 5] as const] : [])),
    ...wrong,
    ['unknown', 1] as const,
    ['$where', '1'] as const,
  ];
  return [
    ...values.map(([name, value]) => ({
      what: `${name} ${short(value)}`,
      status: 422,
      body: withValue(body, name, value),
      // A wrong end may be reported at the start of the time range.
      ...(name === 'until' ? {} : { names: name }),
    })),
    ...slots.filter(isRequired).map(({ name }) => ({
      what: `no ${name}`,
      status: 422,
      names: name,
      body: withValue(body, name, undefined),
    })),
    ...[[], ['x'], 5, true].map((value) => ({ what: `body ${short(value)}`, status: 422, body: value })),
    ...['null', '"text"'].map((raw) => ({ what: `body ${raw}`, status: 422, body: raw })),
  ];
}

/** Queries that are wrong. */
export const badQueries = (route: Route): BadRequest[] => [
  { what: 'an unknown parameter', status: 422, names: 'unknown', query: '?unknown=1' },
  ...(takesBody(route) ? [] : slotsOf(route)).flatMap((slot) => [
    ...queryMistakesOf(slot).map((text) => ({
      what: `${slot.name}=${text.slice(0, 20)}`,
      status: 422,
      names: slot.name,
      query: `?${slot.name}=${encodeURIComponent(text)}`,
    })),
    { what: `${slot.name}[$gt]`, status: 422, names: `${slot.name}[$gt]`, query: `?${slot.name}[$gt]=` },
    { what: `${slot.name} twice`, status: 422, names: slot.name, query: `?${slot.name}=1&${slot.name}=2` },
  ]),
];

/** A body for the checks that an empty one passes. */
const readableBody = (route: Route) => ({ body: sampleOf(route).body ?? {} });

/** Bodies that are not looked into. */
export const unreadable = (route: Route): BadRequest[] => [
  ...['{', '{"a":1,}', 'nope', '{"a":1}{', "{'a':1}", '\u0000'].map((body) => ({
    what: `the text ${short(body)}`,
    status: 400,
    body,
  })),
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json'].map(
    (type) => ({ what: type, status: 415, headers: { 'content-type': type }, ...readableBody(route) }),
  ),
  {
    what: 'a charset that is not UTF-8',
    status: 415,
    headers: { 'content-type': 'application/json; charset=latin1' },
    ...readableBody(route),
  },
  { what: 'a packed body', status: 415, headers: { 'content-encoding': 'gzip' }, ...readableBody(route) },
  { what: '1 MiB and a byte', status: 413, body: ' '.repeat(MIB + 1) },
  { what: '1 MiB of nothing', status: 400, body: ' '.repeat(MIB) },
];

/** Callers that may not. */
export const unauthorised = ({ scope }: Route, { tenant }: Fixture): BadRequest[] => [
  { what: 'no key', status: 401, key: null },
  { what: 'a malformed key', status: 401, key: 'eg_w_short' },
  { what: 'an unknown key', status: 401, key: newApiKey('admin') },
  ...(scope === 'read' ? [] : [{ what: 'a read key', status: 403, key: tenant.read }]),
  ...(scope === 'admin' ? [{ what: 'a write key', status: 403, key: tenant.write }] : []),
];

const NO_IDS: Record<string, unknown[]> = {
  customerId: [2_147_483_647],
  endpointId: [2_147_483_647],
  deliveryId: ['f'.repeat(24)],
};
const NEVER_IDS = [
  'abc',
  '0',
  '-1',
  '1.5',
  '1e3',
  '2147483648',
  '99999999999999999999',
  '%00',
  '%',
  '{"$gt":""}',
];

/** Ids that are unknown, malformed, or of another tenant. */
export const elsewhere = ({ parameters, fieldId }: Route, { otherIds }: Fixture): BadRequest[] =>
  // An explanation says that there is no such event, and a feed exists once it is read.
  parameters
    .filter((name) => name !== 'name' && (fieldId !== 'Query.explainDelivery' || name !== 'eventId'))
    .flatMap((name) =>
      [
        ...(NO_IDS[name] ?? ['f'.repeat(24)]),
        ...NEVER_IDS.map((id) => id.replace('{', '%7B')),
        (otherIds as Record<string, unknown>)[name],
      ].map((id) => ({ what: `${name} ${id}`, status: 404, params: { [name]: id } })),
    );

/** Several things wrong at once: the contract's order decides (section 4). */
export function ordered(route: Route, { tenant, other }: Fixture): BadRequest[] {
  // An admin may act for any tenant there is, so only one that there is not is foreign to it.
  const foreign = { 'x-customer-id': route.scope === 'admin' ? '2147483647' : String(other.customerId) };
  // The customer in its path is the resource, and the header has to name the same one.
  const hasTarget = route.parameters.includes('customer');
  const missing = { params: { endpointId: 2_147_483_647, deliveryId: 'f'.repeat(24) } };
  const large = ' '.repeat(MIB + 1);
  const cases: BadRequest[] = [
    {
      what: 'no key before all else',
      status: 401,
      key: null,
      headers: foreign,
      query: '?unknown=1',
      ...missing,
    },
    {
      what: "the tenant's 404 before 422",
      status: hasTarget ? 422 : 404,
      headers: foreign,
      query: '?unknown=1',
    },
    { what: "422 before the resource's 404", status: 422, query: '?unknown=1', ...missing },
  ];
  if (!readsBody(route)) return cases;
  const text = { 'content-type': 'text/plain' };
  return [
    ...cases,
    { what: '401 before 413', status: 401, key: null, body: large },
    { what: '403 before 413', status: 403, key: tenant.read, body: large },
    { what: '413 before 415', status: 413, body: large, headers: text },
    { what: '415 before 400', status: 415, body: '{', headers: text },
    { what: "400 before the tenant's 404", status: 400, body: '{', headers: foreign },
  ];
}

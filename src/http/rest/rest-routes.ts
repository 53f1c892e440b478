import type { GraphQLField, GraphQLSchema } from 'graphql';
import type { Mount, RestRoute } from '../../../schema/rest-route.ts';

/** A root field as a REST route. */
export interface Route extends RestRoute {
  /** `Query.webhookEndpoints`: how Sofa names the field in its `routes`. */
  fieldId: string;
  field: GraphQLField<unknown, unknown>;
  /** Names of the path's parameters, in order. */
  parameters: string[];
  /** Base and path. */
  pattern: string;
}

/** Everything that one path can do. */
interface Resource {
  methods: Map<string, Route>;
  /** The path as logs and metrics show it: base and path, parameters as `:name`. */
  pattern: string;
  segments: string[];
}

export interface Match {
  resource: Resource;
  /** The path's parameters by name, as they came: still percent-encoded, never empty. */
  parameters: Record<string, string>;
}

const isRestRoute = (value: unknown): value is RestRoute =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'mount' in value;

/**
 * The routes of a sub-graph, from its root fields' extensions. A field without one has no route, and so no address.
 * @throws Error at start when a field is another mount's
 */
export function collectRoutes(schema: GraphQLSchema, mount: Mount, base: string): Route[] {
  return [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).flatMap((field) => {
      const { rest } = field.extensions;
      if (!isRestRoute(rest)) return [];
      const fieldId = `${type?.name}.${field.name}`;
      if (rest.mount !== mount) throw new Error(`${fieldId} is of ${rest.mount}, not of ${mount}`);
      const parameters = rest.path
        .split('/')
        .flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []));
      return [{ ...rest, fieldId, field, parameters, pattern: base + rest.path }];
    }),
  );
}

/**
 * Compiles the one thing that decides which addresses exist. A path matches as a whole and as it is spelled:
 * no trailing slash, no empty segment, no dot segment.
 * @returns a matcher, given the whole path
 */
export function compileMatcher(routes: readonly Route[]): (path: string) => Match | null {
  const literal = new Map<string, Match>();
  const byLength = new Map<number, Resource[]>();
  const resources = new Map<string, Resource>();
  for (const route of routes) {
    const shape = route.pattern.replaceAll(/:[^/]+/g, ':');
    let resource = resources.get(shape);
    if (!resource) {
      resource = { methods: new Map(), pattern: route.pattern, segments: route.pattern.split('/') };
      resources.set(shape, resource);
      if (route.parameters.length === 0) literal.set(route.pattern, { resource, parameters: {} });
      else
        byLength.set(resource.segments.length, [...(byLength.get(resource.segments.length) ?? []), resource]);
    }
    if (resource.methods.has(route.method))
      throw new Error(`${route.method} ${route.pattern} is there twice`);
    resource.methods.set(route.method, route);
  }
  return (path) => {
    const found = literal.get(path);
    if (found) return found;
    const parts = path.split('/');
    for (const resource of byLength.get(parts.length) ?? []) {
      const parameters = matchSegments(resource.segments, parts);
      if (parameters) return { resource, parameters };
    }
    return null;
  };
}

function matchSegments(segments: string[], parts: string[]): Record<string, string> | null {
  const parameters: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const part = parts[i] ?? '';
    if (!segment.startsWith(':')) {
      if (part !== segment) return null;
    } else if (part === '') return null;
    else parameters[segment.slice(1)] = part;
  }
  return parameters;
}

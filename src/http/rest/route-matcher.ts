import type { Route } from './rest-routes.ts';

/** All routes of one path. */
interface Resource {
  methods: Map<string, Route>;
  pattern: string;
  segments: string[];
}

export interface Match {
  resource: Resource;
  /** Path parameters by name, percent-encoded, never empty. */
  parameters: Record<string, string>;
}

/**
 * Compiles a matcher of whole paths. A path matches only as spelled: no trailing slash, empty segment or dot segment.
 * @throws Error at start if two routes have the same method and path
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
      throw new Error(`Duplicate route: ${route.method} ${route.pattern}`);
    resource.methods.set(route.method, route);
  }
  return (path) => {
    const exact = literal.get(path);
    if (exact) return exact;
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

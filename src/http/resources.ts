import type { FastifyInstance } from 'fastify';
import findMyWay from 'find-my-way';

/** A path pattern and the methods that it has handlers for. */
export interface Resource {
  pattern: string;
  /** In the order of the routes, without HEAD and OPTIONS, which every resource supports. */
  methods: readonly string[];
  /** True if no other spelling of the path reaches it. */
  isExact: boolean;
  /** False for what no script of another origin may read. */
  isReadable: boolean;
}

/** Finds the resource of a request target; null if there is none. */
export type FindResource = (target: string) => Resource | null;

/**
 * Collects the methods of each path from the routes that are added to an app: Fastify itself finds a route by path and
 * method together, so that a wrong method is an unknown route to it.
 */
export function collectResources(app: FastifyInstance): FindResource {
  const methodsByPattern = new Map<string, string[]>();
  // The router of Fastify, with one entry for each pattern.
  const router = findMyWay({ maxParamLength: Number.MAX_SAFE_INTEGER });
  app.addHook('onRoute', ({ url, method, config }) => {
    if (url === '*' || method === 'HEAD') return;
    let methods = methodsByPattern.get(url);
    if (!methods) {
      methods = [];
      methodsByPattern.set(url, methods);
      router.on('GET', url, () => {}, {
        pattern: url,
        methods,
        isExact: config?.isExact === true,
        isReadable: config?.cors !== false,
      } satisfies Resource);
    }
    methods.push(...[method].flat().filter((name) => name !== 'OPTIONS'));
  });
  return (target) => {
    const found = router.find('GET', target);
    return found && !hasEmptyParameter(found.params) ? (found.store as Resource) : null;
  };
}

/** A parameter is never empty; the rest of a path, `*`, may be. */
export const hasEmptyParameter = (parameters: object): boolean =>
  Object.entries(parameters).some(([name, text]) => text === '' && name !== '*');

import { createRequire, Module } from 'node:module';
import type { DriverExports } from './watch-clients.ts';

/** Node.js's function that loads a CommonJS module; a hook (`registerHooks`) would slow down the load of each module. */
interface Loader {
  _load(request: string, ...others: unknown[]): unknown;
}

const require = createRequire(import.meta.url);
const loader = Module as unknown as Loader;
const load = loader._load;

/**
 * Loaded before the service in processes that tests start (`--import`), from its source or prebuilt. The driver is
 * watched where the service loads it, and not before: OpenTelemetry instruments it while it is loaded.
 */
loader._load = (request, ...others) => {
  const loaded = load(request, ...others);
  // Without exports within a cycle of modules.
  if (/(^|\/)mongo_client$/.test(request) && (loaded as Partial<DriverExports>).MongoClient)
    (require('./watch-clients.ts') as typeof import('./watch-clients.ts')).watchClients(
      loaded as DriverExports,
    );
  return loaded;
};

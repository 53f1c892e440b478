import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const WATCH_CLIENTS = fileURLToPath(new URL('./watch-clients.ts', import.meta.url));

/**
 * Loaded before the service in processes that tests start (`--import`), from its source or prebuilt. The driver is
 * watched where the service loads it, and not before: OpenTelemetry instruments it while it is loaded.
 */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    return url.endsWith('/node_modules/mongodb/lib/mongo_client.js')
      ? {
          ...loaded,
          source: `${loaded.source}\nrequire(${JSON.stringify(WATCH_CLIENTS)}).watchClients(exports);`,
        }
      : loaded;
  },
});

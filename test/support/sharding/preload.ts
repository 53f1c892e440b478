import { registerHooks } from 'node:module';

/**
 * Loaded before the service in processes that tests start (`--import`). The driver is replaced where the service loads
 * it, and not before: OpenTelemetry instruments it while it is loaded.
 */
registerHooks({
  resolve(specifier, context, next) {
    const isConnect =
      specifier === 'mongoose' && context.parentURL?.endsWith('/src/platform/mongo/connect.ts');
    return isConnect
      ? { url: new URL('./watched-mongoose.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context);
  },
});

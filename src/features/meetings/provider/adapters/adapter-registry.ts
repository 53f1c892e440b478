import { recorderProviders } from '../../../../config/config.ts';
import type { ProviderAdapter } from './adapter.types.ts';
import { fathomAdapter } from './fathom.ts';
import { standardAdapter } from './standard.ts';

const adapters = new Map<string, ProviderAdapter>();

/** Makes an adapter available as a value of `RECORDER_PROVIDER`. */
export function registerAdapter(adapter: ProviderAdapter): void {
  if (adapters.has(adapter.name)) throw new Error(`Adapter "${adapter.name}" is already registered.`);
  adapters.set(adapter.name, adapter);
  recorderProviders.add(adapter.name);
}

for (const adapter of [standardAdapter, fathomAdapter]) registerAdapter(adapter);

/** @param name a validated `RECORDER_PROVIDER` */
export function adapterOf(name: string): ProviderAdapter {
  const adapter = adapters.get(name);
  if (!adapter) throw new Error(`No adapter "${name}" is registered.`);
  return adapter;
}

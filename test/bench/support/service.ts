import { resolve } from 'node:path';
import { engagement, sharedDataDir, startProcess } from '../../support/process.ts';

/** As `npm start` runs it: from its build, if that is current. */
const SERVE = [process.execPath, resolve(import.meta.dirname, '../../../src/cli/main.ts'), 'serve'];

/** The real service, `engagement serve`, as a process of its own with one tenant. */
export interface BenchService extends AsyncDisposable {
  url: string;
  pid: number;
  /** A key of scope write of a customer, who is made when there is none. */
  newKey(customerId: number): Promise<string>;
  newAdminKey(): Promise<string>;
  /** Sends JSON to a path below the service's address, and gives the answer's. */
  request<T>(method: string, path: string, key: string, body?: unknown): Promise<T>;
  /** Registers an endpoint, and gives its id. */
  newEndpoint(customerId: number, key: string, url: string, settings?: object): Promise<number>;
}

export async function startService(
  mongodbUri: string,
  env: Record<string, string> = {},
  command: readonly string[] = SERVE,
): Promise<BenchService> {
  const dataDir = await sharedDataDir();
  const service = await startProcess(dataDir.path, { mongodbUri, env, command });

  async function request<T>(method: string, path: string, key: string, body?: unknown): Promise<T> {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async function createKey(...options: string[]): Promise<string> {
    return (await engagement<{ key: string }>(dataDir.path, mongodbUri, 'key', 'create', ...options)).key;
  }

  return {
    url: service.url,
    pid: service.child.pid ?? 0,
    request,
    newKey: (customerId) => createKey('--customer', String(customerId), '--scope', 'write'),
    newAdminKey: () => createKey('--scope', 'admin'),
    async newEndpoint(customerId, key, url, settings = {}) {
      const path = `/api/v1/customers/${customerId}/webhook-endpoints`;
      return (await request<{ endpoint: { id: number } }>('POST', path, key, { url, ...settings })).endpoint
        .id;
    },
    async [Symbol.asyncDispose]() {
      await service.end('SIGTERM');
      await dataDir[Symbol.asyncDispose]();
    },
  };
}

import { onTestFinished } from 'vitest';
import type { ServiceProcess } from '../support/process.ts';
import { createProcessGroup } from '../support/process-group.ts';
import { startProvider, type TestProviderOptions } from '../support/provider.ts';

/** Creates a database for processes of the service beside a provider; all of them end with the test. */
export async function processesBesideProvider(
  options: TestProviderOptions,
  env: Record<string, string> = {},
) {
  const provider = await startProvider(options);
  onTestFinished(() => provider.stop());
  const { newKey, ...group } = await createProcessGroup({
    RECORDER_API_URL: provider.url,
    CONNECTOR_PACING: '20ms',
    MEETING_SYNC_SCHEDULE: 'off',
    ...env,
  });
  return {
    ...group,
    provider,
    /** Creates a key of a customer with the scope `write`. */
    newKey: (customerId: number) => newKey('--customer', String(customerId), '--scope', 'write'),
  };
}

/** Returns the only root field of an operation. Throws if the response has errors. */
export async function ask<T>(
  { url }: ServiceProcess,
  key: string,
  query: string,
  variables = {},
): Promise<T> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data?: Record<string, T>; errors?: unknown };
  if (!data || errors) throw new Error(JSON.stringify(errors));
  return Object.values(data)[0] as T;
}

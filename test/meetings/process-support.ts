import type { ServiceProcess } from '../support/process.ts';

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

import { expect } from 'vitest';
import type { TestApp, TestTenant } from './app.ts';

/** One call that only some may make. */
interface ProtectedCall {
  method: string;
  path: string;
  body?: unknown;
  /** Smallest scope that may. */
  scope: 'read' | 'write';
}

/**
 * Checks that a REST call is refused without a key, with one of too small a scope and, where its path names a
 * customer, with the key of another customer, to whom it looks as if there was nothing.
 */
export async function expectProtected(
  app: TestApp,
  { method, path, body, scope }: ProtectedCall,
  tenant: TestTenant,
): Promise<void> {
  const anonymous = await app.request(method, path, { body });
  expect(anonymous).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHENTICATED' } } });
  expect(anonymous.headers.get('www-authenticate')).toBe('Bearer');
  if (scope === 'write') {
    const reader = await app.request(method, path, { key: tenant.read, body });
    expect(reader).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  }
  if (path.includes('/customers/')) {
    const stranger = await app.request(method, path, { key: (await app.newTenant()).write, body });
    expect(stranger).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  }
}

/** Checks that a GraphQL operation is refused without a key, and with each of these. */
export async function expectProtectedGraphQL(
  app: TestApp,
  query: string,
  variables: Record<string, unknown>,
  tooSmall: string[],
): Promise<void> {
  const anonymous = await app.graphql(query, variables, '');
  expect(anonymous).toMatchObject({
    status: 401,
    body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
  });
  expect(anonymous.headers.get('www-authenticate')).toBe('Bearer');
  for (const key of tooSmall)
    expect(await app.graphql(query, variables, key)).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    });
}

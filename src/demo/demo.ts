import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Models } from '../database.ts';
import { AppError } from '../errors.ts';
import { SCOPES, type Scope, type Tenant } from '../features/tenants/tenants.types.ts';
import type { Services } from '../services.ts';
import { demoConversations, storeConversations } from './conversations.ts';
import { seedWebhooks } from './webhooks.ts';

const DEMO = { customerId: 42, orgId: 'org_42', name: 'Demo' };

/** The demo tenant and keys that open it. */
export interface DemoAccess {
  customerId: number;
  orgId: string;
  keys: { scope: Scope; key: string }[];
}

/**
 * Makes the demo tenant, its sample data and its keys, as far as they are not there yet. The keys are kept in
 * `DATA_DIR/demo.env`, since the database has only their hashes.
 */
export async function ensureDemo(services: Services, models: Models, config: Pick<Config, 'dataDir'>) {
  const file = join(config.dataDir, 'demo.env');
  const kept = await readEnv(file);
  const tenant = await demoTenant(services, models);
  const keys: DemoAccess['keys'] = [];
  for (const scope of SCOPES) keys.push({ scope, key: await workingKey(services, scope, tenant, kept) });
  const access: DemoAccess = { customerId: tenant.customerId, orgId: tenant.orgId, keys };

  const writeEnv = async (url: string): Promise<void> => {
    const lines = [
      `BASE_URL=${url}`,
      `CUSTOMER_ID=${tenant.customerId}`,
      ...keys.map(({ scope, key }) => `${nameOf(scope)}=${key}`),
    ];
    await mkdir(config.dataDir, { recursive: true });
    await writeFile(`${file}.new`, `${lines.join('\n')}\n`, { mode: 0o600 });
    await chmod(`${file}.new`, 0o600);
    await rename(`${file}.new`, file);
  };
  await writeEnv(kept.BASE_URL ?? '');
  return { access, writeEnv };
}

const nameOf = (scope: Scope): string => `${scope.toUpperCase()}_KEY`;

async function demoTenant(services: Services, models: Models): Promise<Tenant> {
  const tenant = await services.tenants.get(DEMO.customerId).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    return services.tenants.create(DEMO);
  });
  await seed(services, models, tenant);
  return tenant;
}

/** Sample data, once: nobody can delete a conversation, so where there is one all of it has been made. */
async function seed(services: Services, models: Models, tenant: Tenant): Promise<void> {
  if (await models.Conversation.exists({ customerId: tenant.customerId })) return;
  const now = new Date();
  const conversations = demoConversations(tenant, now);
  // A tenant that was made before there were conversations has its endpoint already.
  if (!(await models.Endpoint.exists({ customerId: tenant.customerId }))) {
    const events = conversations.flatMap((conversation) => conversation.events);
    await seedWebhooks(services, models, tenant, events, now);
  }
  await storeConversations(models, conversations);
}

/** The key that was kept while it still opens the tenant, else a new one. */
async function workingKey(
  services: Services,
  scope: Scope,
  tenant: Tenant,
  kept: Record<string, string>,
): Promise<string> {
  const key = kept[nameOf(scope)];
  if (key) {
    const principal = await services.keys.authenticate(`Bearer ${key}`).catch(() => null);
    if (principal?.scope === scope) return key;
  }
  const customerId = scope === 'admin' ? null : tenant.customerId;
  return (await services.keys.create({ scope, customerId, expiresAt: null })).key;
}

async function readEnv(file: string): Promise<Record<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name ?? '', value ?? '']),
  );
}

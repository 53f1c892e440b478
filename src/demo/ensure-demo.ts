import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import type { Config } from '../config/config.ts';
import type { Models } from '../database/models.ts';
import { AppError, hasCode } from '../errors/app-error.ts';
import { createConversations } from '../features/conversations/index.ts';
import { createCommitOrder } from '../features/outbox/commit-order.ts';
import { NO_ENCRYPTION } from '../features/privacy/field-encryption.ts';
import { NO_SUPPRESSIONS } from '../features/privacy/suppression.service.ts';
import type { Services } from '../features/services.ts';
import { SCOPES, type Scope } from '../features/tenants/scopes.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import { createResultCounter } from '../features/webhooks/statistics/result-counter.ts';
import { statisticsStore } from '../features/webhooks/statistics/statistics.store.ts';
import { createCommitter } from '../platform/commit/committer.ts';
import type { Logger } from '../platform/logger.ts';
import { DEMO_CONVERSATIONS, seedConversations } from './demo-conversations.ts';
import {
  createDeliveryHistory,
  createDemoEndpoint,
  type DemoEndpoint,
  ensureReceiverEndpoint,
  findDemoEndpoint,
} from './demo-deliveries.ts';

const DEMO = { customerId: 42, orgId: 'org_42', name: 'Demo' };

/** The demo tenant and its API keys. */
export interface DemoAccess {
  customerId: number;
  orgId: string;
  keys: { scope: Scope; key: string }[];
}

/** The demo tenant of a running service. */
export interface RunningDemo extends DemoAccess {
  /** Part of the printed GraphiQL address; opens it with the demo keys, once. */
  graphiqlToken: string;
}

interface DemoDeps {
  services: Services;
  models: Models;
  connection: Connection;
  config: Pick<Config, 'dataDir' | 'webhookRetryDelaysMs' | 'webhookAllowPrivateTargets'>;
  log: Logger;
  /** URL of the demo receiver; null if it does not run. */
  receiverUrl: string | null;
}

/** Returns the path of the file with the demo keys. */
export const demoKeysFile = (dataDir: string): string => join(dataDir, 'demo.env');

/** The operator has deleted or suspended the demo tenant, or created another one with its organization id. */
export class NoDemoTenant extends AppError {}

/**
 * Creates what is missing of the demo tenant, its sample data and its keys. `DATA_DIR/demo.env` keeps the keys, because
 * the database stores only their hashes.
 *
 * @throws NoDemoTenant
 */
export async function ensureDemo(deps: DemoDeps) {
  const { services, config } = deps;
  const file = demoKeysFile(config.dataDir);
  const env = await readEnv(file);
  const tenant = await ensureTenant(services);
  const isFirstStart = await seed(deps, tenant);
  const keys: DemoAccess['keys'] = [];
  for (const scope of SCOPES) {
    const saved = env[variableOf(scope)];
    keys.push({ scope, key: await ensureKey(services, { scope, tenant, saved }) });
  }
  const access: DemoAccess = { customerId: tenant.customerId, orgId: tenant.orgId, keys };

  const writeEnv = async (url: string): Promise<void> => {
    const lines = [
      `BASE_URL=${url}`,
      `CUSTOMER_ID=${tenant.customerId}`,
      ...keys.map(({ scope, key }) => `${variableOf(scope)}=${key}`),
    ];
    await mkdir(config.dataDir, { recursive: true });
    await writeFile(`${file}.new`, `${lines.join('\n')}\n`, { mode: 0o600 });
    await chmod(`${file}.new`, 0o600);
    await rename(`${file}.new`, file);
  };
  await writeEnv(env.BASE_URL ?? '');
  return { tenant, access, isFirstStart, writeEnv };
}

const variableOf = (scope: Scope): string => `${scope.toUpperCase()}_KEY`;

async function ensureTenant({ tenants }: Services): Promise<Tenant> {
  try {
    const tenant = await tenants.get(DEMO.customerId).catch((error: unknown) => {
      if (!hasCode(error, 'NOT_FOUND')) throw error;
      return tenants.create(DEMO);
    });
    await tenants.requireActive(tenant.customerId);
    return tenant;
  } catch (error) {
    if (!hasCode(error, 'CONFLICT') && !hasCode(error, 'CUSTOMER_SUSPENDED')) throw error;
    throw new NoDemoTenant(
      'CONFLICT',
      `The demo customer ${DEMO.customerId} cannot be used: it was deleted or suspended, or another customer has its organization id. Resume it if it is suspended, or create another customer with \`tenant create\`.`,
      { cause: error },
    );
  }
}

/**
 * Creates the sample data, or the rest of it after an interrupted seeding: conversations cannot be deleted, so their
 * number shows the progress. A tenant that has conversations but no demo endpoint is in use and stays unchanged.
 * Returns true if it created data.
 */
async function seed(
  { services, models, connection, config, log, receiverUrl }: DemoDeps,
  tenant: Tenant,
): Promise<boolean> {
  const { customerId } = tenant;
  const existing = await models.Conversation.countDocuments({ customerId });
  const now = new Date();
  const creation = { services, models, tenant, now };
  let endpoint = await findDemoEndpoint(models, tenant);
  const isComplete = existing >= DEMO_CONVERSATIONS || (existing > 0 && !endpoint);
  const isWithoutEndpoints = !(await models.Endpoint.exists({ customerId }));
  if (!isComplete && isWithoutEndpoints)
    endpoint = await createDemoEndpoint(creation, {
      allowsPrivateTargets: config.webhookAllowPrivateTargets,
    });
  const receiver =
    receiverUrl === null
      ? null
      : await ensureReceiverEndpoint(creation, {
          url: receiverUrl,
          creates: !isComplete && (isWithoutEndpoints || endpoint !== null),
        });
  if (isComplete) return false;
  const statistics = createResultCounter({
    statistics: statisticsStore(models),
    endpoints: {
      current: ({ endpointId }) => models.Endpoint.findOne({ customerId, id: endpointId }).lean(),
    },
  });
  // A separate committer, because the service's own would send the events.
  const outbox = createCommitter({
    connection,
    expand: createDeliveryHistory({
      models,
      now,
      retryDelaysMs: config.webhookRetryDelaysMs,
      endpoints: [endpoint, receiver].filter((one): one is DemoEndpoint => one !== null),
      statistics,
    }),
    tenantOf: ({ tenant }) => tenant.customerId,
    log,
    tracing: null,
  });
  await seedConversations(
    {
      tenant,
      now,
      movesAt: (clock) =>
        createConversations({
          models,
          outbox,
          order: createCommitOrder(clock),
          limit: null,
          suppressions: NO_SUPPRESSIONS,
          encryption: NO_ENCRYPTION,
          dependants: [],
          clock,
        }).services.moves,
    },
    existing,
  );
  await statistics.flushAll();
  return true;
}

/** Returns the saved key if it is still valid, else a new one. */
async function ensureKey(
  { keys }: Services,
  { scope, tenant, saved }: { scope: Scope; tenant: Tenant; saved: string | undefined },
): Promise<string> {
  if (saved) {
    const principal = await keys.authenticate(`Bearer ${saved}`).catch(() => null);
    if (principal?.scope === scope) return saved;
  }
  const customerId = scope === 'admin' ? null : tenant.customerId;
  return (await keys.create({ scope, customerId, expiresAt: null })).key;
}

async function readEnv(file: string): Promise<Record<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name ?? '', value ?? '']),
  );
}

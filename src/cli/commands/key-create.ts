import { Option } from 'commander';
import { AppError, hasCode } from '../../errors/app-error.ts';
import { operatorActor } from '../../features/audit/audit-actor.ts';
import { keyState } from '../../features/audit/audited-states.ts';
import type { Services } from '../../features/services.ts';
import { SCOPES, type Scope } from '../../features/tenants/scopes.ts';
import type { ApiKey, Tenant } from '../../features/tenants/tenants.types.ts';
import { KEY_RESOURCES, type KeyResource } from '../../shared/key-limits.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId, customerText, isoDate, keyName, networks } from '../option-parsers.ts';
import { UsageError } from '../output/command-failure.ts';
import { fields, print, timestamp } from '../output/text-output.ts';
import { tenantCreation } from './tenant-create.ts';

interface Options {
  customer?: number;
  scope: Scope;
  org?: string;
  expires?: Date;
  name?: string;
  resource?: KeyResource[];
  network?: string[];
  json: boolean;
}

/**
 * Returns the tenant of a customer, and whether this call created it.
 *
 * @param org expected organization, if given
 * @throws AppError `CONFLICT` if the tenant belongs to another organization
 */
async function ensureTenant(
  services: Services,
  { customer, org }: { customer: number; org: string | undefined },
): Promise<{ tenant: Tenant; created: boolean }> {
  let created = false;
  const { tenants } = services;
  const find = () => tenants.get(customer);
  const tenant = await find().catch((missing: unknown) => {
    if (!hasCode(missing, 'NOT_FOUND')) throw missing;
    const input = { customerId: customer, orgId: org ?? `org_${customer}`, name: `Customer ${customer}` };
    // A conflict means that another process has just created the tenant, or that the organization is taken.
    return performed(services, tenantCreation, () => tenants.create(input))
      .then((newTenant) => {
        created = true;
        return newTenant;
      })
      .catch((conflict: unknown) => find().catch(() => Promise.reject(conflict)));
  });
  if (org !== undefined && tenant.orgId !== org) {
    throw new AppError(
      'CONFLICT',
      `Customer ${customer} belongs to the organization ${tenant.orgId}, not ${org}; correct --org or leave it out.`,
    );
  }
  return { tenant, created };
}

/** The creation of a key as an act of the audit log. */
const keyCreation = (customerId: number | null) => ({
  customerId,
  action: 'createApiKey',
  target: { type: 'apiKey', id: null },
  createdId: ({ apiKey }: { apiKey: ApiKey }) => apiKey.id,
  describe: ({ apiKey }: { apiKey: ApiKey }) => keyState(apiKey),
});

async function create(options: Options): Promise<void> {
  const { customer, scope, org, expires, name, resource, network, json } = options;
  if (scope === 'admin' && (customer !== undefined || org !== undefined)) {
    throw new UsageError('An admin key belongs to no customer; leave --customer and --org out.');
  }
  if (scope === 'admin' && resource)
    throw new UsageError('An admin key includes all resources; leave --resource out.');
  if (scope !== 'admin' && customer === undefined)
    throw new UsageError(`A ${scope} key requires --customer <n>.`);

  const { apiKey, key, owner } = await withBackend(async ({ services }) => {
    const owner = customer === undefined ? null : await ensureTenant(services, { customer, org });
    const customerId = owner?.tenant.customerId ?? null;
    const created = await performed(services, keyCreation(customerId), () =>
      services.keys.create({
        ...{ scope, customerId, name, expiresAt: expires, createdBy: operatorActor() },
        ...(resource && { resources: [...new Set(resource)] }),
        ...(network && { networks: network }),
      }),
    );
    return { ...created, owner };
  });
  const result = {
    id: apiKey.id,
    key,
    scope: apiKey.scope,
    customerId: owner?.tenant.customerId ?? null,
    orgId: owner?.tenant.orgId ?? null,
    customerCreated: owner?.created ?? false,
    createdAt: apiKey.createdAt,
    expiresAt: apiKey.expiresAt,
    ...(apiKey.name && { name: apiKey.name }),
    ...(apiKey.resources && { resources: apiKey.resources }),
    ...(apiKey.networks && { networks: apiKey.networks }),
  };
  const text = fields({
    Key: key,
    Id: result.id,
    ...(apiKey.name && { Name: apiKey.name }),
    Scope: result.scope,
    Customer: result.customerId,
    Organization: result.orgId,
    ...(apiKey.resources && { Resources: apiKey.resources.join(', ') }),
    ...(apiKey.networks && { Networks: apiKey.networks.join(', ') }),
    Expires: timestamp(apiKey.expiresAt),
  });
  const customerCreated = result.customerCreated
    ? `\nCustomer ${result.customerId} did not exist and was created, with the organization ${result.orgId}.`
    : '';
  print({
    json,
    result,
    text: `${text}\n${customerCreated}\nStore the key now; it cannot be displayed again.`,
  });
}

/** `key create`: creates an API key, and its customer if it does not exist. */
export const keyCreate = () =>
  newCommand('create', 'create an API key, and its customer if it does not exist')
    .addOption(new Option('--scope <scope>', 'scope of the key').choices(SCOPES).makeOptionMandatory())
    .option(
      '--customer <n>',
      'customer of the key; created if it does not exist (required for read and write)',
      customerId,
    )
    .option(
      '--org <id>',
      'organization id of the customer (default for a new customer: org_<n>)',
      customerText,
    )
    .option('--expires <iso>', 'expiry time, such as 2027-01-31T12:00:00Z', isoDate)
    .option('--name <text>', 'name of the key', keyName)
    .addOption(
      new Option('--resource <names...>', 'resources that the key is limited to (default: all)').choices(
        KEY_RESOURCES,
      ),
    )
    .option(
      '--network <cidr>',
      'address or CIDR range of the clients that may use the key; repeatable (default: all)',
      networks,
    )
    .action(create);

import { Option } from 'commander';
import { AppError } from '../../errors.ts';
import { SCOPES, type Scope } from '../../features/tenants/scopes.ts';
import type { TenantService } from '../../features/tenants/tenants.service.ts';
import type { Tenant } from '../../features/tenants/tenants.types.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { customerId, isoDate, shortText } from '../option-parsers.ts';
import { UsageError } from '../output/command-failure.ts';
import { fields, moment, print } from '../output/text-output.ts';

interface Options {
  customer?: number;
  scope: Scope;
  org?: string;
  expires?: Date;
  json: boolean;
}

const isCode = (error: unknown, code: AppError['code']): boolean =>
  error instanceof AppError && error.code === code;

/** The tenant of that customer, made when there is none; `org` must be its organisation when it is given. */
async function tenantOf(tenants: TenantService, customer: number, org: string | undefined): Promise<Tenant> {
  const find = () => tenants.get(customer);
  const tenant = await find().catch((missing: unknown) => {
    if (!isCode(missing, 'NOT_FOUND')) throw missing;
    const input = { customerId: customer, orgId: org ?? `org_${customer}`, name: `Customer ${customer}` };
    // A conflict: either somebody made the tenant this very moment, or the organisation is another customer's.
    return tenants.create(input).catch((conflict: unknown) => find().catch(() => Promise.reject(conflict)));
  });
  if (org !== undefined && tenant.orgId !== org) {
    throw new AppError(
      'CONFLICT',
      `Customer ${customer} belongs to the organisation ${tenant.orgId}, not ${org}.`,
    );
  }
  return tenant;
}

async function create({ customer, scope, org, expires, json }: Options): Promise<void> {
  if (scope === 'admin' && (customer !== undefined || org !== undefined)) {
    throw new UsageError('An admin key belongs to no customer: leave --customer and --org out.');
  }
  if (scope !== 'admin' && customer === undefined)
    throw new UsageError(`A ${scope} key needs --customer <n>.`);

  const { apiKey, key, tenant } = await withBackend(async ({ services }) => {
    const owner = customer === undefined ? null : await tenantOf(services.tenants, customer, org);
    const created = await services.keys.create({
      scope,
      customerId: owner?.customerId ?? null,
      expiresAt: expires ?? null,
    });
    return { ...created, tenant: owner };
  });
  const result = {
    id: apiKey.id,
    key,
    scope: apiKey.scope,
    customerId: tenant?.customerId ?? null,
    orgId: tenant?.orgId ?? null,
  };
  const text = fields({
    Key: key,
    Id: result.id,
    Scope: result.scope,
    Customer: result.customerId,
    Organisation: result.orgId,
    Expires: moment(apiKey.expiresAt),
  });
  print(json, result, `${text}\n\nThe key is shown this once; keep it now.`);
}

/** `key create`: makes an API key, and its tenant when there is none yet. */
export const keyCreate = () =>
  newCommand('create', 'make an API key, and the tenant of its customer when there is none')
    .addOption(new Option('--scope <scope>', 'its rights').choices(SCOPES).makeOptionMandatory())
    .option('--customer <n>', 'customer that a read or write key belongs to', customerId)
    .option('--org <id>', 'organisation id of the customer (default: org_<n> for a new one)', shortText)
    .option('--expires <iso>', 'moment from which on it is refused, such as 2027-01-31T12:00:00Z', isoDate)
    .action(create);

import { tenantState } from '../../features/audit/audited-states.ts';
import type { Tenant } from '../../features/tenants/tenants.types.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId, customerText } from '../option-parsers.ts';
import { fields, print, timestamp } from '../output/text-output.ts';

interface Options {
  customer: number;
  org: string;
  name: string;
  verifyEndpoints?: boolean;
  json: boolean;
}

/** The creation of a customer as an act of the audit log. */
export const tenantCreation = {
  customerId: null,
  action: 'createTenant',
  target: { type: 'tenant', id: null },
  createdId: (tenant: Tenant) => tenant.customerId,
  describe: tenantState,
};

/** `tenant create`: creates a customer of the service. */
export const tenantCreate = () =>
  newCommand('create', 'create a customer of the service')
    .requiredOption('--customer <n>', 'customer id, a positive integer', customerId)
    .requiredOption('--org <id>', 'organization id', customerText)
    .requiredOption('--name <text>', 'name', customerText)
    .option('--verify-endpoints', 'require receivers to confirm each new URL of a webhook endpoint')
    .action(async ({ customer, org, name, verifyEndpoints, json }: Options) => {
      const tenant = await withBackend(({ services }) =>
        performed(services, tenantCreation, () =>
          services.tenants.create({ customerId: customer, orgId: org, name, verifyEndpoints }),
        ),
      );
      const { customerId: id, orgId, createdAt } = tenant;
      const text = fields({
        Customer: id,
        Organization: orgId,
        Name: tenant.name,
        Created: timestamp(createdAt),
      });
      print({ json, result: tenant, text });
    });

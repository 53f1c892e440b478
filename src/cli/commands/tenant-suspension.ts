import { suspensionState } from '../../features/audit/audited-states.ts';
import type { TenantService } from '../../features/tenants/tenants.service.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId } from '../option-parsers.ts';
import { print } from '../output/text-output.ts';

interface Change {
  /** Name of the command, and of the service's method. */
  name: Extract<keyof TenantService, 'suspend' | 'resume'>;
  /** Name of the operation in the audit log. */
  action: string;
  description: string;
  isSuspended: boolean;
  /** What the command prints. */
  done: string;
}

const command = ({ name, action, description, isSuspended, done }: Change) =>
  newCommand(name, description)
    .requiredOption('--customer <n>', 'customer id', customerId)
    .action(async ({ customer, json }: { customer: number; json: boolean }) => {
      const result = await withBackend(async ({ services }) => {
        const { tenants } = services;
        const tenant = await tenants.get(customer);
        const act = {
          ...{ customerId: customer, action, target: { type: 'tenant', id: String(customer) } },
          before: suspensionState(await tenants.suspendedAt(tenant)),
          describe: () => ({ suspended: isSuspended }),
        };
        await performed(services, act, () => tenants[name](customer));
        return { ...tenant, suspendedAt: await tenants.suspendedAt(tenant) };
      });
      print({ json, result, text: `Customer ${customer} ${done}.` });
    });

/** `tenant suspend`: refuses all requests of a customer, and holds its deliveries. */
export const tenantSuspend = () =>
  command({
    ...{ name: 'suspend', action: 'suspendTenant', isSuspended: true, done: 'is suspended' },
    description: 'refuse all requests of a customer, and hold its deliveries',
  });

/** `tenant resume`: lifts the suspension of a customer. */
export const tenantResume = () =>
  command({
    ...{ name: 'resume', action: 'resumeTenant', isSuspended: false, done: 'is no longer suspended' },
    description: 'lift the suspension of a customer',
  });

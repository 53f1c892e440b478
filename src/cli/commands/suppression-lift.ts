import type { Suppression } from '../../features/privacy/suppression.service.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId } from '../option-parsers.ts';
import { print } from '../output/text-output.ts';

/** `suppressions lift`: lifts the suppression of one identifier. */
export const suppressionLift = () =>
  newCommand('lift', 'lift the suppression of an identifier: later data with it is stored as a whole')
    .argument('<id>', 'id of the entry, see suppressions list')
    .requiredOption('--customer <n>', 'customer id', customerId)
    .action(async (id: string, { customer, json }: { customer: number; json: boolean }) => {
      const lifted = await withBackend(async ({ services }) => {
        const tenant = await services.tenants.get(customer);
        const act = {
          customerId: customer,
          action: 'liftSuppression',
          target: { type: 'suppression', id },
          describe: ({ type, erasureId }: Suppression) => ({ type, erasureId }),
        };
        return performed(services, act, () => services.suppressions.lift(tenant, id));
      });
      print({ json, result: lifted, text: `Lifted the suppression ${lifted.id} (${lifted.type}).` });
    });

import type { AuditState } from '../../features/audit/audit.types.ts';
import { deletedConversationState, deletedMeetingState } from '../../features/audit/audited-states.ts';
import type { Deletion } from '../../features/erasure/object-deletion.service.ts';
import type { Services } from '../../features/services.ts';
import type { Tenant } from '../../features/tenants/tenants.types.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { customerId } from '../option-parsers.ts';
import { count, fields, print } from '../output/text-output.ts';

interface Options {
  customer: number;
  json: boolean;
}

interface ObjectAct {
  action: 'deleteConversation' | 'deleteMeeting';
  target: { type: 'conversation' | 'meeting'; id: string };
  describe(deletion: Deletion): AuditState;
  make(deletions: Services['deletions'], tenant: Tenant): Promise<Deletion>;
}

/** Deletes one object of a customer, and prints what was deleted with it. */
async function deleteObject({ customer, json }: Options, { make, ...act }: ObjectAct): Promise<void> {
  const deletion = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    return performed(services, { customerId: customer, ...act }, () => make(services.deletions, tenant));
  });
  const { id, counts, suppressionId } = deletion;
  const found = counts.filter(({ count: n }) => n > 0).map(({ kind, count: n }) => [kind, count(n)]);
  const text = fields({
    Deleted: id,
    ...(suppressionId !== null && { Suppression: suppressionId }),
    ...Object.fromEntries(found),
  });
  print({ json, result: deletion, text });
}

/** `conversations delete`: deletes a conversation with everything that belongs to it. */
export const conversationsDelete = () =>
  newCommand('delete', 'delete a conversation with its messages, events, deliveries and records')
    .argument('<id>', 'id of the conversation')
    .requiredOption('--customer <n>', 'customer id', customerId)
    .action((id: string, options: Options) =>
      deleteObject(options, {
        action: 'deleteConversation',
        target: { type: 'conversation', id },
        describe: deletedConversationState,
        make: (deletions, tenant) => deletions.deleteConversation(tenant, id),
      }),
    );

/** `meetings delete`: deletes a meeting with everything that belongs to it, and suppresses it. */
export const meetingsDelete = () =>
  newCommand('delete', 'delete a meeting with its transcript and records, and suppress it from then on')
    .argument('<id>', "the provider's id of the meeting")
    .requiredOption('--customer <n>', 'customer id', customerId)
    .option('--no-suppress', 'only delete: a later sync stores it again if the provider still lists it')
    .action((id: string, { suppress, ...options }: Options & { suppress: boolean }) =>
      deleteObject(options, {
        action: 'deleteMeeting',
        target: { type: 'meeting', id },
        describe: deletedMeetingState,
        make: (deletions, tenant) => deletions.deleteMeeting(tenant, { id, suppress }, null),
      }),
    );

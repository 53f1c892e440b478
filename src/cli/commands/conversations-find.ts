import { AppError } from '../../errors/app-error.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { customerId, shortText } from '../option-parsers.ts';
import { fields, print, timestamp } from '../output/text-output.ts';

interface Options {
  customer: number;
  importId: string;
  json: boolean;
}

async function find({ customer, importId, json }: Options): Promise<void> {
  const conversation = await withBackend(async ({ services }) => {
    const tenant = await services.tenants.get(customer);
    const { edges } = await services.conversations.list(tenant, { importId }, { limit: 1, after: null });
    return edges[0]?.node;
  });
  if (!conversation)
    throw new AppError(
      'NOT_FOUND',
      `Customer ${customer} has no conversation that was imported as ${importId}.`,
    );
  const text = fields({
    Id: conversation.id,
    'Import id': conversation.importId,
    Visitor: conversation.visitorId,
    Status: conversation.status,
    Started: timestamp(conversation.startedAt),
    Ended: timestamp(conversation.endedAt),
    Messages: conversation.messageCount,
  });
  print({ json, result: conversation, text });
}

/** `conversations find`: finds a conversation by the id that it was imported under. */
export const conversationsFind = () =>
  newCommand('find', 'find a conversation by its id in the system that it was imported from')
    .requiredOption('--customer <n>', 'customer of the conversation', customerId)
    .requiredOption('--import-id <id>', '`id` of its line in the imported file', shortText)
    .action(find);

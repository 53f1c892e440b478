import type { Untargeted } from './shard-key-check.ts';

/** A command that the service sends to all shards on purpose. */
interface Exception extends Pick<Untargeted, 'collection' | 'command' | 'fields'> {
  /** As `docs/scale.md` lists it with its cost. */
  name: string;
}

/** The commands without a shard key that are permitted; `docs/scale.md` states the cost of each. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    name: 'claims and queue depth',
    collection: 'webhookDeliveries',
    command: 'aggregate',
    fields: ['dueAt', 'endpointId', 'lane'],
  },
  {
    // The same claims: the query of one endpoint continues where the previous one ended.
    name: 'claims and queue depth',
    collection: 'webhookDeliveries',
    command: 'aggregate',
    fields: ['$expr', 'dueAt', 'endpointId', 'lane'],
  },
  {
    // Queue depth: whether late endpoints have attempts in flight.
    name: 'claims and queue depth',
    collection: 'webhookDeliveries',
    command: 'aggregate',
    fields: ['dueAt', 'endpointId', 'lane', 'lease'],
  },
  { name: 'retention', collection: 'webhookEvents', command: 'find', fields: ['_id'] },
  { name: 'retention of custom events', collection: 'previewEvents', command: 'find', fields: ['_id'] },
  { name: 'repair of fan-outs', collection: 'webhookEvents', command: 'find', fields: ['_id'] },
  { name: 'conversations import', collection: 'conversations', command: 'find', fields: ['_id'] },
  { name: 'secrets rotate', collection: 'idempotencyKeys', command: 'find', fields: ['result'] },
  { name: 'secrets rotate', collection: 'idempotencyKeys', command: 'find', fields: ['response'] },
];

/** Returns true if the statement is one of the exceptions. */
export const isException = ({ collection, command, fields }: Untargeted): boolean =>
  EXCEPTIONS.some(
    (exception) =>
      exception.collection === collection &&
      exception.command === command &&
      exception.fields.join() === fields.join(),
  );

import type { LimitedResource, ResourceUsage as ResourceUsageShape } from '../src/limits/tenant-limits.ts';
import { MAX_COUNT } from '../src/shared/max-count.ts';
import { builder } from './builder.ts';

/** Complexity of one count, which reads up to `MAX_COUNT` index entries. */
const COST = 250;

const ResourceUsage = builder.objectRef<ResourceUsageShape>('ResourceUsage').implement({
  description: 'How much of something a customer stores, and its limit.',
  fields: (t) => ({
    used: t.exposeInt('used', {
      description: `Number of stored documents. Without a limit, or for endpoints, counted up to ${MAX_COUNT.toLocaleString('en')}. With a limit, counted up to one more than it, and as old as the count by which the service enforces it: usually at most five seconds.`,
    }),
    limit: t.exposeInt('limit', {
      nullable: true,
      description:
        'Maximum number, beyond which new ones are refused with `CONFLICT`; null if there is none.',
    }),
  }),
});

/** The root object: each field counts on its own. */
const USAGE = {};

const Usage = builder.objectRef<typeof USAGE>('Usage').implement({
  description: 'What a customer stores, and its limits.',
  fields: (t) => {
    const usageOf = (resource: LimitedResource, description: string) =>
      t.field({
        type: ResourceUsage,
        description,
        complexity: COST,
        resolve: (_usage, _args, { tenant, services }) => services.usage.of(tenant(), resource),
      });
    return {
      storedEvents: usageOf('storedEvents', 'Webhook events within their retention.'),
      conversations: usageOf('conversations', 'Conversations, imported ones included.'),
      meetings: usageOf('meetings', 'Meetings, those included that were deleted at the provider.'),
      customEvents: usageOf('customEvents', 'Events of custom types from the preview API.'),
      endpoints: usageOf('endpoints', 'Webhook endpoints, disabled ones included.'),
    };
  },
});

builder.queryField('usage', (t) =>
  t.field({
    type: Usage,
    description: 'What the customer stores, and its limits.',
    scope: 'read',
    resource: 'account',
    resolve: () => USAGE,
  }),
);

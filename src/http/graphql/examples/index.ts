import { ADMINISTRATION } from './administration.ts';
import { CONVERSATIONS } from './conversations.ts';
import { DRIFT } from './drift.ts';
import type { Example } from './example.ts';
import { MEETINGS } from './meetings.ts';
import { OVERVIEW } from './overview.ts';
import { WEBHOOKS } from './webhooks.ts';

/** The tabs that GraphiQL opens with. Together they have every root field that there is. */
export const EXAMPLES: readonly Example[] = [
  ...OVERVIEW,
  ...WEBHOOKS,
  ...CONVERSATIONS,
  ...DRIFT,
  ...MEETINGS,
  ...ADMINISTRATION,
];

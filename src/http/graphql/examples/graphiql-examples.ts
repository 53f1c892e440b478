import { ADMINISTRATION } from './administration-examples.ts';
import { CONVERSATIONS } from './conversation-examples.ts';
import { DRIFT } from './drift-examples.ts';
import type { Example } from './graphiql-example.ts';
import { MEETINGS } from './meeting-examples.ts';
import { OVERVIEW } from './overview-examples.ts';
import { PRIVACY } from './privacy-examples.ts';
import { WEBHOOKS } from './webhook-examples.ts';

/** Default tabs of GraphiQL. Together they use every root field of the schema. */
export const EXAMPLES: readonly Example[] = [
  ...OVERVIEW,
  ...WEBHOOKS,
  ...CONVERSATIONS,
  ...DRIFT,
  ...MEETINGS,
  ...PRIVACY,
  ...ADMINISTRATION,
];

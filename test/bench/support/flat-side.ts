import { EVENT_BODY } from './event-body.ts';
import type { Load } from './load.ts';
import { startService } from './service.ts';

const CUSTOMER = 1;
/** Rows of a page: fewer than the smallest of the lists has. */
const LIMIT = 10;
/** Rows before the page that is not the first. */
const BEFORE = 100;
/** Part of the newest rows that activity counts. Milliseconds. */
const ACTIVITY_MS = 30 * 60_000;

/** Reads that are compared. */
export const READS = [
  'deliveries of an endpoint',
  'deliveries of an endpoint that failed',
  'deliveries of an endpoint, one event',
  'deliveries of an endpoint, one event, failed',
  'deliveries of the customer that failed',
  'deliveries of the customer, one event',
  'deliveries of the customer, one event, failed',
  'one delivery',
  'conversations',
  'conversations, ended and not converted',
  'conversations since a time, converted',
  'conversations after 100 others',
  'activity of half an hour',
] as const;

type Request = Pick<Load, 'method' | 'url' | 'key' | 'body'>;

/** A service over one of the two databases. */
export interface FlatSide {
  reads: Record<(typeof READS)[number], Request>;
  accept: Request;
}

/** Starts a service over a populated database, with one endpoint of its first customer. */
export async function openSide(
  stack: AsyncDisposableStack,
  mongodbUri: string,
  { sinkUrl, newestAt, visitors }: { sinkUrl: string; newestAt: Date; visitors: number },
): Promise<FlatSide> {
  const service = stack.use(await startService(mongodbUri, { DELIVERY_RETENTION: '3650d' }));
  const key = await service.newKey(CUSTOMER);
  const endpointId = await service.newEndpoint(CUSTOMER, key, sinkUrl);
  const deliveries = `/api/v1/customers/${CUSTOMER}/webhook-endpoints/${endpointId}/deliveries`;

  const get = (path: string): Request => ({ method: 'GET', url: service.url + path, key, body: null });
  const query = (graphql: string): Request => ({
    method: 'POST',
    url: `${service.url}/graphql`,
    key,
    body: JSON.stringify({ query: graphql }),
  });
  const ofEndpoint = (filter: string) => get(`${deliveries}?limit=${LIMIT}${filter}`);
  const ofCustomer = (filter: string) =>
    query(`{ webhookDeliveries(first: ${LIMIT}, ${filter}) { edges { node { id status event } } } }`);
  const conversations = (filter: string) => get(`/v1/conversations?limit=${LIMIT}${filter}`);

  const page = await service.request<{ data: { id: string }[] }>('GET', `${deliveries}?limit=1`, key);
  const started = await service.request<{ data: { id: string }[] }>(
    'GET',
    `/v1/conversations?limit=${BEFORE}`,
    key,
  );
  const since = new Date(newestAt.getTime() - ACTIVITY_MS).toISOString();
  return {
    reads: {
      'deliveries of an endpoint': ofEndpoint(''),
      'deliveries of an endpoint that failed': ofEndpoint('&status=failed'),
      'deliveries of an endpoint, one event': ofEndpoint('&event=identity.resolved'),
      'deliveries of an endpoint, one event, failed': ofEndpoint('&event=identity.resolved&status=failed'),
      'deliveries of the customer that failed': ofCustomer('status: failed'),
      'deliveries of the customer, one event': ofCustomer('event: "identity.resolved"'),
      'deliveries of the customer, one event, failed': ofCustomer(
        'event: "identity.resolved", status: failed',
      ),
      'one delivery': get(`${deliveries}/${page.data[0]?.id}`),
      conversations: conversations(''),
      'conversations, ended and not converted': conversations('&status=ended&converted=false'),
      'conversations since a time, converted': conversations(`&converted=true&since=${since}`),
      'conversations after 100 others': conversations(`&starting_after=${started.data.at(-1)?.id}`),
      'activity of half an hour': query(
        `{ activity(since: "${since}") { events { count } deliveries { count } conversations { count } } }`,
      ),
    },
    accept: {
      method: 'POST',
      url: `${service.url}/v1/events`,
      key,
      // Each event changes a conversation, whatever the number of visitors.
      body: EVENT_BODY.replace('v_#', `v_#%${visitors}`),
    },
  };
}

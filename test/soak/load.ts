import { setTimeout as sleep } from 'node:timers/promises';
import { eventIdentity } from './event-identity.ts';
import type { Ledger } from './ledger.ts';
import type { createSoakClient } from './soak-client.ts';

export interface SoakTenant {
  customerId: number;
  /** API key of scope write. */
  key: string;
}

interface Deps {
  send: ReturnType<typeof createSoakClient>;
  tenants: SoakTenant[];
  ledger: Ledger;
}

type Type = 'conversion' | 'start' | 'handoff' | 'end';

/** One request in turn: half are conversions, the other half leads conversations from their start to their end. */
const MIX: Type[] = ['conversion', 'start', 'conversion', 'handoff', 'conversion', 'end'];

interface Conversation {
  id: string;
  tenant: SoakTenant;
}

/** A client's turn to send a request. */
interface Turn {
  tenant: SoakTenant;
  /** Identifies the event that the request causes, unless the event has an id of the service. */
  name: string;
  /** Null if the client does not retry. */
  idempotencyKey: string | null;
}

interface GraphqlBody {
  data: { conversation: { id: string } };
}

const START =
  'mutation ($visitorId: String!) { conversation: startConversation(input: { visitorId: $visitorId }) { id } }';
const HANDOFF =
  'mutation ($id: ID!, $schemaName: String!) { conversation: requestHandoff(conversationId: $id, input: { schemaName: $schemaName, urgency: normal }) { id } }';
const END = 'mutation ($id: ID!) { conversation: endConversation(conversationId: $id) { id } }';

/** Creates the clients: each request causes one event, and is entered in the ledger if its client learns of success. */
export function createLoad({ send, tenants, ledger }: Deps) {
  const started: Conversation[] = [];
  const handedOff: Conversation[] = [];
  let count = 0;

  const accept = (event: string, data: Record<string, unknown>): void =>
    ledger.accept(eventIdentity({ event, data }));

  async function convert({ tenant, name, idempotencyKey }: Turn): Promise<void> {
    const body = { type: 'conversion', goal: name, visitor_id: `v_${name}` };
    const event = await send({ path: '/v1/events', key: tenant.key, body, idempotencyKey });
    if (event) accept('conversion.recorded', { conversionType: name });
  }

  /** Returns the id of the conversation; null if the mutation failed. */
  async function mutate(
    { tenant, idempotencyKey }: Turn,
    query: string,
    variables: object,
  ): Promise<string | null> {
    const body = { query, variables };
    const result = await send({ path: '/graphql', key: tenant.key, body, idempotencyKey });
    return (result as GraphqlBody | null)?.data.conversation.id ?? null;
  }

  async function start(turn: Turn): Promise<void> {
    const { tenant, name } = turn;
    const id = await mutate(turn, START, { visitorId: name });
    if (id === null) return;
    accept('conversation.started', { visitorId: name });
    started.push({ id, tenant });
  }

  async function handOff(turn: Turn, id: string): Promise<void> {
    const { tenant, name } = turn;
    if ((await mutate(turn, HANDOFF, { id, schemaName: name })) === null) return;
    accept('handoff.requested', { schemaName: name });
    handedOff.push({ id, tenant });
  }

  async function end(turn: Turn, id: string): Promise<void> {
    if ((await mutate(turn, END, { id })) !== null) accept('conversation.ended', { conversationId: id });
  }

  function sendNext(): Promise<void> {
    const number = count++;
    const name = `n${number}`;
    const turn: Turn = {
      tenant: tenants[number % tenants.length] as SoakTenant,
      name,
      // The clients of every other round retry, the others give up at the first error.
      idempotencyKey: Math.floor(number / MIX.length) % 2 === 0 ? name : null,
    };
    const type = MIX[number % MIX.length];
    if (type === 'start') return start(turn);
    const next = type === 'handoff' ? started.shift() : type === 'end' ? handedOff.shift() : undefined;
    if (!next) return convert(turn);
    const move = type === 'handoff' ? handOff : end;
    return move({ ...turn, tenant: next.tenant }, next.id);
  }

  return {
    /** Sends `rate` requests a second for a time, whether or not responses come, and awaits their last attempts. */
    async run({ rate, runMs }: { rate: number; runMs: number }): Promise<void> {
      const open = new Set<Promise<void>>();
      const startedAt = performance.now();
      const requests = Math.round((rate * runMs) / 1000);
      for (let sent = 0; sent < requests; ) {
        const due = Math.min(requests, ((performance.now() - startedAt) / 1000) * rate);
        for (; sent < due; sent += 1) {
          const request = sendNext();
          open.add(request);
          void request.finally(() => open.delete(request));
        }
        await sleep(1000 / rate);
      }
      await Promise.all(open);
    },
  };
}

import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { engagement, sharedDataDir, startProcess } from '../support/process.ts';
import { type Received, startReceiver } from '../support/receiver.ts';

/** Number of events; `ORDER_EVENTS=20000` is the size of the acceptance. */
const EVENTS = Number(process.env.ORDER_EVENTS ?? 1_000);
const PER_CONVERSATION = 40;
const CONVERSATIONS = EVENTS / PER_CONVERSATION;
const FAILING_SHARE = 0.2;
const CLIENTS = 32;
const TIMEOUT_MS = 60_000 + EVENTS * 60;

interface Value {
  conversationId: string;
  value: number;
}

const valueIn = ({ envelope: { data } }: Received): Value => ({
  conversationId: String(data.conversationId),
  value: Number(data.value),
});

const keyOf = ({ conversationId, value }: Value): string => `${conversationId} ${value}`;

/** Fails the first one to three attempts of some deliveries; collects those that it accepts. */
function failing(succeeded: Set<string>) {
  const failures = new Map<string, number>();
  const failuresOf = () => (Math.random() < FAILING_SHARE ? 1 + Math.floor(Math.random() * 3) : 0);
  return (request: Received): number => {
    const key = keyOf(valueIn(request));
    const left = failures.get(key) ?? failuresOf();
    failures.set(key, left - 1);
    if (left > 0) return 500;
    succeeded.add(key);
    return 200;
  };
}

test('deliveries of conversations arrive in order and none is lost, with failures and a killed process', {
  timeout: TIMEOUT_MS,
}, async () => {
  const mongodbUri = freshDatabase();
  await using dataDir = await sharedDataDir();
  const succeeded = new Set<string>();
  const receiver = await startReceiver(failing(succeeded));
  onTestFinished(() => receiver.stop());
  const env = { WEBHOOK_RETRY_DELAYS: '1s,1s,1s', WEBHOOK_TIMEOUT: '2s' };
  const processes = [
    await startProcess(dataDir.path, { mongodbUri, env }),
    await startProcess(dataDir.path, { mongodbUri, env }),
  ];
  onTestFinished(() => Promise.all(processes.map((each) => each.end('SIGKILL'))).then(() => {}));
  const create = ['key', 'create', '--customer', '7', '--scope', 'write'];
  const { key } = await engagement<{ key: string }>(dataDir.path, mongodbUri, ...create);
  const running = () => processes.filter(({ child }) => !child.killed);

  /** Sends a request to one of the processes; null if its outcome is unknown. */
  async function post<T>(path: string, body: object): Promise<T | null> {
    const some = running();
    const { url } = some[Math.floor(Math.random() * some.length)] ?? { url: '' };
    try {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      });
      return response.ok ? ((await response.json()) as T) : null;
    } catch {
      return null;
    }
  }

  await post('/api/v1/customers/7/webhook-endpoints', {
    url: receiver.url,
    events: ['conversion.recorded'],
    ordering: 'conversation',
  });
  const accepted: Value[] = [];

  /** Records the events of a conversation, each after the response to the one before. */
  async function* converse(visitor_id: string): AsyncGenerator<void> {
    const query =
      'mutation ($visitorId: String!) { startConversation(input: { visitorId: $visitorId }) { id } }';
    const started = await post<{ data: { startConversation: { id: string } } }>('/graphql', {
      query,
      variables: { visitorId: visitor_id },
    });
    const conversationId = started?.data.startConversation.id;
    if (!conversationId) return;
    for (let value = 1; value <= PER_CONVERSATION; value += 1) {
      const event = { type: 'conversion', goal: 'g', visitor_id, conversation_id: conversationId, value };
      // The order of what follows an unknown outcome is unknown as well.
      if (!(await post('/v1/events', event))) return;
      accepted.push({ conversationId, value });
      yield;
    }
  }

  async function client(number: number): Promise<void> {
    const own = Array.from({ length: CONVERSATIONS }, (_, index) => index).filter(
      (index) => index % CLIENTS === number,
    );
    let open = own.map((index) => converse(`v_${index}`));
    while (open.length > 0) {
      const ended = await Promise.all(
        open.map(async (conversation) => ((await conversation.next()).done ? conversation : null)),
      );
      open = open.filter((conversation) => !ended.includes(conversation));
    }
  }

  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  await eventually(async () => accepted.length >= EVENTS / 3, TIMEOUT_MS);
  await processes[0]?.end('SIGKILL');
  await clients;
  expect(accepted.length).toBeGreaterThan(EVENTS / 3);

  await eventually(async () => accepted.every((each) => succeeded.has(keyOf(each))), TIMEOUT_MS);
  // Repetitions arrive before the later deliveries as well.
  const arrivals = Map.groupBy(receiver.received.map(valueIn), ({ conversationId }) => conversationId);
  const inversions = [...arrivals.values()].filter((values) =>
    values.some(({ value }, index) => value < (values[index - 1]?.value ?? 0)),
  );
  expect(inversions).toEqual([]);
});

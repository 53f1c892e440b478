import { openDatabase } from '../../../src/database/models.ts';
import type { Target } from './attacks.ts';
import { store, storedConversation, succeeded, waiting } from './documents.ts';
import type { BenchService } from './service.ts';

/** The target without the port of its meeting provider. */
type TenantTarget = Omit<Target, 'providerPort'>;

const CUSTOMER = 2;
const TRANSCRIPTS = 8;
const MESSAGES = 100;
const TEXT = 'x'.repeat(32_768);
const CONVERSATIONS = 20_000;
const EVENTS = 20_000;
const NEW_KEYS = 10;

/** Stores events, deliveries, conversations and transcripts. @returns ids of the conversations with transcripts */
async function seed(mongodbUri: string): Promise<string[]> {
  const { connection, models } = await openDatabase(mongodbUri);
  const now = new Date();
  await store(models, EVENTS, (number) => {
    const stored = waiting({ number, customerId: CUSTOMER, endpointId: 1_000_000 }, now, now);
    return { event: stored.event, delivery: succeeded(stored, now) };
  });
  const conversations = Array.from({ length: CONVERSATIONS }, (_, number) =>
    storedConversation({
      number,
      customerId: CUSTOMER,
      startedAt: new Date(now.getTime() - number * 1_000),
    }),
  );
  const long = conversations.slice(0, TRANSCRIPTS);
  for (const conversation of long) {
    Object.assign(conversation, { messageCount: MESSAGES, textBytes: MESSAGES * TEXT.length });
    const messages = Array.from({ length: MESSAGES }, (_, seq) => ({
      customerId: CUSTOMER,
      conversationId: conversation._id,
      seq,
      role: 'visitor',
      text: TEXT,
      sentAt: now,
    }));
    await models.Message.collection.insertMany(messages as never[]);
  }
  await models.Conversation.collection.insertMany(conversations as never[]);
  await connection.close();
  return long.map(({ _id }) => _id.toHexString());
}

/** A tenant with much data. Each `target` has keys that were never used. */
export async function createHostileTenant(service: BenchService, mongodbUri: string, sinkUrl: string) {
  const writeKey = await service.newKey(CUSTOMER);
  const adminKey = await service.newAdminKey();

  async function newReadKey(): Promise<string> {
    const query = `mutation { createApiKey(input: { scope: read, customerId: ${CUSTOMER} }) { key } }`;
    const { data } = await service.request<{ data: { createApiKey: { key: string } } }>(
      'POST',
      '/graphql',
      adminKey,
      { query },
    );
    return data.createApiKey.key;
  }

  const page = await (await fetch(`${service.url}/graphql`, { headers: { accept: 'text/html' } })).text();
  const bundlePath = /src="(\/graphql\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (!bundlePath) throw new Error('The GraphiQL page has no script.');
  const target: TenantTarget = {
    port: Number(new URL(service.url).port),
    customerId: CUSTOMER,
    readKey: await newReadKey(),
    writeKey,
    newKeys: [],
    conversationIds: await seed(mongodbUri),
    bundlePath,
    slowUrl: `${sinkUrl}/slow`,
  };
  return {
    async target(): Promise<TenantTarget> {
      const newKeys: string[] = [];
      while (newKeys.length < NEW_KEYS) newKeys.push(await newReadKey());
      return { ...target, newKeys };
    },
  };
}

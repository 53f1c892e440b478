import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mongo, Types } from 'mongoose';
import { Pool } from 'undici';
import { openDatabase } from '../../../src/database/models.ts';
import type { EventDoc } from '../../../src/features/outbox/outbox-event.model.ts';
import type { PreviewEventDoc } from '../../../src/features/preview-events/preview-event.model.ts';
import type { DeliveryDoc } from '../../../src/features/webhooks/delivery/delivery.model.ts';
import { newSecret } from '../../../src/features/webhooks/signature/sign.ts';
import { answerCalls } from '../../support/child-process.ts';
import { type Stored, waiting } from './documents.ts';
import { deliveryHeaders } from './signed.ts';

/*
 * Minimum cost of accepting and delivering: `node:http`, the raw driver and undici, with the documents,
 * indexes, durability and bytes of the service, but no key, no validation, no limits and no other tenants.
 */

interface Options {
  mongodbUri: string;
  sinkUrl: string;
}

interface EventInput {
  type: string;
  goal: string;
  visitor_id: string;
}

const CUSTOMER = 1;
const ENDPOINT = 1;
const LEASE_MS = 30_000;

/** Makes collections and indexes as the service does, and opens them with the bare driver. */
async function openCollections(uri: string) {
  const { connection, models } = await openDatabase(uri);
  const { PreviewEvent, Event, Delivery } = models;
  const [previewEvents, events, deliveries] = [PreviewEvent, Event, Delivery].map(
    (model) => model.collection.collectionName,
  ) as [string, string, string];
  await connection.close();
  const client = await new mongo.MongoClient(uri).connect();
  return {
    client,
    previewEvents: client.db().collection<PreviewEventDoc>(previewEvents),
    events: client.db().collection<EventDoc>(events),
    deliveries: client.db().collection<DeliveryDoc>(deliveries),
  };
}

const answerOf = (event: PreviewEventDoc): string =>
  JSON.stringify({
    id: event._id.toHexString(),
    type: event.type,
    goal: event.goal,
    visitor_id: event.visitorId,
    conversation_id: event.conversationId,
    value: event.value,
    occurred_at: event.occurredAt,
    created_at: event.createdAt,
  });

async function start({ mongodbUri, sinkUrl }: Options): Promise<string> {
  const { client, previewEvents, events, deliveries } = await openCollections(mongodbUri);
  const pool = new Pool(sinkUrl);
  const secret = newSecret();
  const token = randomUUID();

  async function accept(input: EventInput): Promise<Stored & { previewEvent: PreviewEventDoc }> {
    const now = new Date();
    const previewEvent: PreviewEventDoc = {
      _id: new Types.ObjectId(),
      customerId: CUSTOMER,
      type: input.type,
      goal: input.goal,
      visitorId: input.visitor_id,
      conversationId: null,
      value: null,
      properties: null,
      occurredAt: now,
      createdAt: now,
    };
    const number = Number(input.goal.slice(1));
    const stored = waiting({ number, customerId: CUSTOMER, endpointId: ENDPOINT }, now, now);
    const dueAt = new Date(now.getTime() + LEASE_MS);
    const delivery: DeliveryDoc = { ...stored.delivery, attempt: 1, lease: token, dueAt };
    await client.withSession((session) =>
      session.withTransaction(
        async () => {
          await previewEvents.insertOne(previewEvent, { session });
          await events.insertOne(stored.event, { session });
          await deliveries.insertOne(delivery, { session });
        },
        { readConcern: { level: 'local' }, writeConcern: { w: 'majority', j: true } },
      ),
    );
    return { previewEvent, event: stored.event, delivery };
  }

  async function deliver({ event, delivery }: Stored): Promise<void> {
    const at = new Date();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/',
      headers: deliveryHeaders(delivery._id.toHexString(), event, secret),
      body: event.payload,
    });
    await body.dump();
    const result = { responseStatus: statusCode, error: null, durationMs: Date.now() - at.getTime() };
    await deliveries.updateOne(
      { _id: delivery._id, lease: token },
      {
        $set: {
          ...result,
          status: 'succeeded',
          lastAttemptAt: at,
          nextRetryAt: null,
          finishedAt: new Date(),
        },
        $unset: { lease: '', dueAt: '' },
        $push: { attempts: { ...result, at, manual: false, responseBody: '' } },
      },
      { writeConcern: { w: 1 } },
    );
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const stored = await accept(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      const body = answerOf(stored.previewEvent);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      response.writeHead(201, headers).end(body);
      await deliver(stored);
    });
  }

  const server = createServer({ keepAliveTimeout: 65_000 }, handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const handlers = { start };
export type BareAcceptCalls = typeof handlers;
answerCalls(handlers);

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { listening } from '../webhooks/support.ts';
import { converted, ended, going, type Importing, idOf, startImporting } from './import-support.ts';

let on: Importing;
beforeAll(async () => {
  on = await startImporting();
});
afterAll(() => on.stop());

const unix = (iso: unknown): number => Date.parse(String(iso)) / 1000;

describe('conversations import', () => {
  test('sends and stores no event without --emit', async () => {
    const { tenant, receiver } = await listening(on.app);
    const { report } = await on.importing(tenant, [ended('a'), converted('b', 'c')]);
    expect(report.imported).toBe(2);
    const { customerId } = tenant;
    expect(await on.app.models.Event.countDocuments({ customerId })).toBe(0);
    expect(await on.app.models.Delivery.countDocuments({ customerId })).toBe(0);
    expect(receiver.received).toEqual([]);
  });

  test('with --emit sends each event once, signed', async () => {
    const { tenant, receiver, endpoint } = await listening(on.app);
    const [active, done] = [going(idOf('ba1', 1), 'active'), converted(idOf('ba1', 2), idOf('ba2', 2))];
    const { customerId } = tenant;
    const base = { customerId, orgId: `org_${customerId}` };
    const { report } = await on.importing(tenant, [active, done], '--emit');
    expect(report.imported).toBe(2);

    const received = await receiver.waitFor(5);
    const about = (id: string) =>
      received.map(({ envelope }) => envelope).filter(({ data }) => data.conversationId === id);
    expect(about(active.id)).toEqual([
      {
        event: 'conversation.started',
        data: { ...base, conversationId: active.id, visitorId: active.visitor_id },
        ts: unix(active.started_at),
      },
    ]);
    const published = Object.fromEntries(about(done.id).map(({ event, data, ts }) => [event, { data, ts }]));
    expect(published).toEqual({
      'conversation.started': {
        data: { ...base, conversationId: done.id, visitorId: done.visitor_id },
        ts: unix(done.started_at),
      },
      'identity.resolved': {
        data: {
          ...base,
          conversationId: done.id,
          resolvedPersonId: 'p_1024',
          company: 'Example Ltd',
          firstName: 'Ada',
          lastName: 'Byron',
          jobTitle: null,
          email: 'ada@example.com',
        },
        ts: unix(done.started_at),
      },
      'conversion.recorded': {
        data: {
          ...base,
          conversionEventId: idOf('ba2', 2),
          conversationId: done.id,
          conversionType: 'booking',
          value: 12.5,
        },
        ts: unix(done.started_at) + 8 * 60,
      },
      'conversation.ended': {
        data: { ...base, conversationId: done.id, status: 'converted', converted: true },
        ts: unix(done.ended_at),
      },
    });
    expect(received.every((request) => receiver.verifies(request, endpoint.secret))).toBe(true);

    const { data } = (
      await on.app.graphql(
        'query($id: ID!) { conversation(id: $id) { events { event } } }',
        { id: done.id },
        tenant.read,
      )
    ).body;
    expect(data?.conversation?.events).toEqual([
      { event: 'conversation.started' },
      { event: 'identity.resolved' },
      { event: 'conversion.recorded' },
      { event: 'conversation.ended' },
    ]);

    const again = await on.importing(tenant, [active, done], '--emit');
    expect(again.report.known).toBe(2);
    expect(receiver.received).toHaveLength(5);
  });

  test('with --emit leaves events that it cannot send to the service', async () => {
    const { tenant, receiver } = await listening(
      on.app,
      { status: 200, delayMs: 20 },
      {
        events: ['conversation.started'],
      },
    );
    const { report } = await on.importing(
      tenant,
      Array.from({ length: 300 }, (_, n) => ended(`many ${n}`)),
      '--emit',
    );
    expect(report.imported).toBe(300);
    const { customerId } = tenant;
    await eventually(
      async () => (await on.app.models.Delivery.countDocuments({ customerId, status: 'succeeded' })) === 300,
      20_000,
    );
    expect(new Set(receiver.received.map(({ envelope }) => envelope.data.conversationId)).size).toBe(300);
  });
});

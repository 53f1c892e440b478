import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { startProfile } from '../support/profile.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { createEndpoint, postConversion } from '../webhooks/support.ts';
import { conversionsOf, convert, feedPath, pull, pullAnswer } from './support.ts';

const EVENT_FEED = `query ($name: String!, $events: [String!], $filter: JSON) {
  eventFeed(name: $name, events: $events, filter: $filter) { events { id event payload } cursor hasMore oldest }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('pulling from an event feed', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    await expectProtected(app, { method: 'GET', path: feedPath(tenant), scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, EVENT_FEED, { name: 'crm' }, []);
  });

  test('returns the events that were accepted before it, oldest first, also of a customer without endpoints', async () => {
    const tenant = await app.newTenant();
    const ids = await convert(app, tenant, 5);
    const page = await pull(app, tenant);
    expect(conversionsOf(page)).toEqual(ids);
    expect(page).toMatchObject({ hasMore: false });
    expect(page.data[0]).toMatchObject({ event: 'conversion.recorded', deliveries: [] });
    expect(Date.parse(String(page.oldest))).toBeGreaterThan(0);
    const [next] = await convert(app, tenant, 1);
    expect(conversionsOf(await pull(app, tenant, `?cursor=${page.cursor}`))).toEqual([next]);
  });

  test('pages through events by its cursor, and says whether more follow', async () => {
    const tenant = await app.newTenant();
    const ids = await convert(app, tenant, 5);
    const first = await pull(app, tenant, '?limit=2');
    const second = await pull(app, tenant, `?limit=3&cursor=${first.cursor}`);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    expect([...conversionsOf(first), ...conversionsOf(second)]).toEqual(ids);
  });

  test('returns unacknowledged events again', async () => {
    const tenant = await app.newTenant();
    const ids = await convert(app, tenant, 2);
    await pull(app, tenant);
    expect(conversionsOf(await pull(app, tenant))).toEqual(ids);
  });

  test('waits for an event, and returns it at once', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant);
    const startedAt = performance.now();
    const waiting = pull(app, tenant, '?wait=20');
    setTimeout(() => void postConversion(app, tenant), 300);
    expect((await waiting).data).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  test('returns nothing once the wait is over', async () => {
    const tenant = await app.newTenant();
    const startedAt = performance.now();
    expect(await pull(app, tenant, '?wait=1')).toMatchObject({ data: [], hasMore: false, oldest: null });
    expect(performance.now() - startedAt).toBeGreaterThan(950);
  });

  test('does not query the database while it waits', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant);
    const profile = await startProfile(app.models.Event.db.db);
    await Promise.all(Array.from({ length: 8 }, () => pull(app, tenant, '?wait=4')));
    const commands = await (await profile.end()).countDocuments({
      op: { $ne: 'getmore' },
      ns: /\.(eventLogs?|eventFeeds|webhookEvents)$/,
    });
    // The start and the end of each pull, whatever its wait.
    expect(commands).toBeLessThan(8 * 20);
  });

  test('selects events as endpoints do', async () => {
    const tenant = await app.newTenant();
    await convert(app, tenant, 2, { value: 10 });
    const large = await convert(app, tenant, 1, { value: 500 });
    const filter = encodeURIComponent(JSON.stringify({ 'data.value': { $gte: 100 } }));
    expect(conversionsOf(await pull(app, tenant, `?filter=${filter}`))).toEqual(large);
    expect((await pull(app, tenant, '?events=conversation.started,conversation.ended')).data).toEqual([]);
    expect((await pull(app, tenant, '?type=conversion.recorded')).data).toHaveLength(3);
    expect((await pull(app, tenant, '?type=conversion.recorded&events=conversation.ended')).data).toEqual([]);
    const answer = await app.graphql(
      EVENT_FEED,
      { name: 'crm', events: ['conversion.recorded'], filter: { 'data.value': 500 } },
      tenant.read,
    );
    expect(answer.body.data).toMatchObject({ eventFeed: { events: [{ event: 'conversion.recorded' }] } });
  });

  test('leaves out test events, which are for one endpoint', async () => {
    const tenant = await app.newTenant();
    const { path } = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9/' });
    await app.request('POST', `${path}/test`, { key: tenant.write, body: { event: 'conversation.started' } });
    const ids = await convert(app, tenant, 1);
    expect(conversionsOf(await pull(app, tenant))).toEqual(ids);
  });

  test.each(['', '&type=conversion.recorded'])(
    'skips none behind a test event that fills its page (%s)',
    async (selection) => {
      const tenant = await app.newTenant();
      const { path } = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9/' });
      await app.request('POST', `${path}/test`, {
        key: tenant.write,
        body: { event: 'conversion.recorded' },
      });
      const ids = await convert(app, tenant, 5);
      const first = await pull(app, tenant, `?limit=2${selection}`);
      const second = await pull(app, tenant, `?limit=3&cursor=${first.cursor}${selection}`);
      expect([first.hasMore, second.hasMore]).toEqual([true, false]);
      expect([conversionsOf(first), conversionsOf(second)]).toEqual([ids.slice(0, 2), ids.slice(2)]);
    },
  );

  test('begins at the end if it shall', async () => {
    const tenant = await app.newTenant();
    await convert(app, tenant, 2);
    expect((await pull(app, tenant, '?start=end')).data).toEqual([]);
    const later = await convert(app, tenant, 1);
    expect(conversionsOf(await pull(app, tenant, '?start=end'))).toEqual(later);
  });

  test('does not return events of another customer', async () => {
    const [one, other] = [await app.newTenant(), await app.newTenant()];
    await convert(app, one, 2);
    const { cursor } = await pull(app, one);
    expect((await pull(app, other)).data).toEqual([]);
    expect((await pullAnswer(app, other, `?cursor=${cursor}`)).status).toBe(422);
    const foreign = await app.request('GET', feedPath(one), { key: other.read });
    expect(foreign.status).toBe(404);
  });

  test.each([
    ['?wait=31', 'wait'],
    ['?wait=-1', 'wait'],
    ['?limit=101', 'limit'],
    ['?events=unknown', 'events'],
    ['?events=conversation.started,conversation.started', 'events'],
    ['?type=unknown', 'type'],
    ['?filter=[]', 'filter'],
    ['?filter={"data.unknown":1}', 'filter.data.unknown'],
    ['?cursor=x', 'cursor'],
    ['?consumer=a%20b', 'consumer'],
    ['?start=middle', 'start'],
  ])('rejects %s', async (query, path) => {
    const { status, body } = await pullAnswer(app, await app.newTenant(), query);
    expect([status, body.error?.details]).toMatchObject([422, [{ path }]]);
  });

  test('rejects a name with other characters', async () => {
    const { status } = await pullAnswer(app, await app.newTenant(), '', 'a%20b');
    expect(status).toBe(422);
  });

  test('bounds the pulls of a key that wait', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant);
    const waiting = Array.from({ length: 9 }, () => pullAnswer(app, tenant, '?wait=10'));
    const statuses = (await Promise.all(waiting)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 200), 429]);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually, type Json } from '../support/app.ts';
import { startAppWithFailpoints } from '../support/app-with-failpoints.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { recount, statisticsOf, statisticsWith } from './statistics-support.ts';
import { BEFORE_LAST_ATTEMPT, deliveryLike, listening, postConversion, storeDue } from './support.ts';

const HOUR_MS = 3_600_000;
const { app, mongo } = await startAppWithFailpoints();

const QUERY = `query ($id: Int!, $since: DateTime, $step: WebhookStatisticsStep) {
  webhookEndpoint(id: $id) { statistics(since: $since, step: $step) {
    since until step succeeded failed attempts failedAttempts successRate p50 p95 p99
    acceptanceToArrival { p50 p95 p99 } lastSuccessAt lastFailureAt failingSince
    steps { startsAt succeeded failed attempts successRate p50 acceptanceToArrival { p99 } lastSuccessAt lastFailureAt }
  } }
}`;

const daysAgo = (days: number) => new Date(app.clock.now().getTime() - days * 24 * HOUR_MS).toISOString();

describe('the statistics of an endpoint', () => {
  test('are protected, and do not exist for another customer', async () => {
    const { tenant, endpoint } = await listening(app);
    const path = `${endpoint.path}/statistics`;
    await expectProtected(app, { method: 'GET', path, scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, QUERY, { id: endpoint.id }, []);
    const other = await app.newTenant();
    const { body } = await app.graphql(QUERY, { id: endpoint.id }, other.read);
    expect(body.data?.webhookEndpoint).toBeNull();
    const missing = endpoint.path.replace(String(tenant.customerId), String(other.customerId));
    expect(await app.request('GET', `${missing}/statistics`, { key: other.read })).toMatchObject({
      status: 404,
    });
  });

  test('are zero and null before the first attempt, with every step of the range', async () => {
    const { tenant, endpoint } = await listening(app);
    const statistics = await statisticsOf(app, tenant, endpoint);
    const nothing = {
      ...{ succeeded: 0, failed: 0, attempts: 0, failedAttempts: 0, successRate: null },
      ...{ p50: null, p95: null, p99: null },
      acceptanceToArrival: { p50: null, p95: null, p99: null },
      ...{ lastSuccessAt: null, lastFailureAt: null },
    };
    expect(statistics).toMatchObject({ step: 'hour', failingSince: null, ...nothing });
    const steps = statistics.steps as unknown as Json[];
    expect(steps).toHaveLength(25);
    expect(steps.map(({ startsAt }) => Date.parse(String(startsAt)) % HOUR_MS)).toEqual(steps.map(() => 0));
    expect(steps[0]).toEqual({ startsAt: statistics.since, ...nothing });
    expect((await statisticsOf(app, tenant, endpoint, '?step=day')).steps).toHaveLength(31);
  });

  test('count successes and failures as the log does, in total and in their hour and day', async () => {
    const { tenant, endpoint, receiver } = await listening(app, { status: 200, delayMs: 20 });
    await Promise.all([1, 2, 3, 4, 5].map(() => postConversion(app, tenant)));
    await receiver.waitFor(5);
    receiver.behave(410);
    await postConversion(app, tenant);
    const hourly = await statisticsWith(app, tenant, endpoint, { attempts: 6 });
    const logged = await recount(app.models, endpoint.id);
    expect(logged).toMatchObject({ succeeded: 5, failed: 1, attempts: 6, failedAttempts: 1 });
    expect(hourly).toMatchObject({
      ...logged,
      p50: expect.any(Number),
      p95: expect.any(Number),
      p99: expect.any(Number),
    });
    expect(hourly.successRate).toBeCloseTo(5 / 6);
    for (const name of ['p50', 'p95', 'p99'] as const)
      expect(Math.abs(Number(hourly[name]) - logged[name])).toBeLessThanOrEqual(0.5 + logged[name] * 0.005);
    const { p50 } = hourly.acceptanceToArrival as Json;
    expect(Number(p50)).toBeGreaterThanOrEqual(Number(hourly.p50) - 1);
    const steps = hourly.steps as unknown as Json[];
    expect(steps.reduce((sum, { attempts }) => sum + Number(attempts), 0)).toBe(6);

    const daily = await statisticsOf(app, tenant, endpoint, '?step=day');
    expect(daily).toMatchObject({
      ...logged,
      step: 'day',
      p50: hourly.p50,
      p95: hourly.p95,
      p99: hourly.p99,
    });
    const { body } = await app.graphql(QUERY, { id: endpoint.id, step: 'day' }, tenant.read);
    expect(body.data?.webhookEndpoint?.statistics).toMatchObject({
      ...logged,
      p50: hourly.p50,
      p95: hourly.p95,
      p99: hourly.p99,
    });
  });

  test('name the start of failures, and count a failed attempt that is retried as no failed delivery', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    const failing = await statisticsWith(app, tenant, endpoint, { attempts: 2 });
    expect(failing).toMatchObject({ succeeded: 0, failed: 0, failedAttempts: 2, successRate: null });
    expect((failing.acceptanceToArrival as Json).p50).toBeNull();
    await eventually(async () => (await statisticsOf(app, tenant, endpoint)).failingSince !== null, 10_000);

    receiver.behave(200);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'retrying' });
    await app.request('POST', `${endpoint.path}/deliveries/${id}/resend`, { key: tenant.write });
    const resent = await statisticsWith(app, tenant, endpoint, { attempts: 3 });
    expect(resent).toMatchObject({ succeeded: 1, failed: 0, failedAttempts: 2, successRate: 1 });
    // A resend is no arrival.
    expect((resent.acceptanceToArrival as Json).p50).toBeNull();
    await eventually(async () => (await statisticsOf(app, tenant, endpoint)).failingSince === null, 10_000);
  });

  test.each([
    ['?step=hour&since=30.05', 'since'],
    ['?step=day&since=366.1', 'since'],
    ['?step=hour&until=40', 'until'],
    ['?since=-1', 'since'],
    ['?since=1&until=2', 'since'],
    ['?step=minute', 'step'],
    ['?since=yesterday', 'since'],
    ['?limit=3', 'limit'],
  ])('refuse %s, which names no range in reach', async (query, path) => {
    const { tenant, endpoint } = await listening(app);
    const sent = query.replaceAll(/(?<==)-?[\d.]+(?=&|$)/g, (days) =>
      encodeURIComponent(daysAgo(Number(days))),
    );
    const refused = await app.request(
      'GET',
      `${endpoint.path}/statistics${path === 'limit' ? query : sent}`,
      {
        key: tenant.read,
      },
    );
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_FAILED' } } });
    expect(refused.body.error?.details).toEqual([{ path, message: expect.any(String) }]);
  });

  test('reach back for 30 days by the hour and for a year by the day', async () => {
    const { tenant, endpoint } = await listening(app);
    for (const [step, days] of [
      ['hour', 30],
      ['day', 365],
    ] as const) {
      const query = `?step=${step}&since=${daysAgo(days)}`;
      const { steps } = await statisticsOf(app, tenant, endpoint, query);
      expect((steps as unknown as Json[]).length).toBeGreaterThan(360);
    }
  });

  test('have the backlog that waits for a pause to end, and since when', async () => {
    const { tenant, endpoint } = await listening(app, 200, { paused: true });
    const empty = { backlog: 0, scheduledRetries: 0, oldestWaitingAt: null };
    expect(await statisticsOf(app, tenant, endpoint)).toMatchObject(empty);
    const before = app.clock.now().getTime();
    await Promise.all([1, 2, 3].map(() => postConversion(app, tenant)));
    const waiting = await statisticsOf(app, tenant, endpoint);
    expect(waiting).toMatchObject({ backlog: 3, scheduledRetries: 0, attempts: 0 });
    const age = Date.parse(String(waiting.oldestWaitingAt)) - before;
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(5_000);
    const { oldestWaitingAt } = waiting;
    // Retries that are due later do not wait.
    const due = { ...BEFORE_LAST_ATTEMPT, dueAt: new Date(app.clock.now().getTime() + HOUR_MS) };
    await storeDue(app, tenant, endpoint, due);
    const expected = { backlog: 3, scheduledRetries: 1, oldestWaitingAt };
    expect(await statisticsOf(app, tenant, endpoint)).toMatchObject(expected);
    const query =
      'query ($id: Int!) { webhookEndpoint(id: $id) { backlog scheduledRetries oldestWaitingAt } }';
    const { body } = await app.graphql(query, { id: endpoint.id }, tenant.read);
    expect(body.data?.webhookEndpoint).toEqual(expected);
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: false } });
    await eventually(async () => Number((await statisticsOf(app, tenant, endpoint)).backlog) === 0, 20_000);
    expect(await statisticsOf(app, tenant, endpoint)).toMatchObject({ ...empty, scheduledRetries: 1 });
  });

  test('are removed with the endpoint, also results that end later', async () => {
    const { tenant, endpoint } = await listening(app, { status: 200, delayMs: 2_000 });
    await postConversion(app, tenant);
    const stored = () => app.models.WebhookStatistics.countDocuments({ customerId: tenant.customerId });
    await statisticsWith(app, tenant, endpoint, { attempts: 1 });
    expect(await stored()).toBe(2);
    await postConversion(app, tenant);
    await sleep(500);
    await app.request('DELETE', endpoint.path, { key: tenant.write });
    expect(await stored()).toBe(0);
    await sleep(4_000);
    expect(await stored()).toBe(0);
  });

  test('expire a day after they are out of reach', async () => {
    const { tenant, endpoint } = await listening(app);
    await postConversion(app, tenant);
    await statisticsWith(app, tenant, endpoint, { attempts: 1 });
    const stored = await app.models.WebhookStatistics.find({ customerId: tenant.customerId }).lean();
    const keptDays = stored.map(({ step, at, expiresAt }) => [
      step,
      Math.floor((expiresAt.getTime() - at.getTime()) / (24 * HOUR_MS)),
    ]);
    expect(Object.fromEntries(keptDays)).toEqual({ hour: 31, day: 367 });
  });
});

test('results before and after the change of the hour count in both hours and in their day', async () => {
  const { tenant, endpoint } = await listening(app);
  const endOfHour = HOUR_MS - (app.clock.now().getTime() % HOUR_MS);
  // Not at the end of the day.
  const isLastHour = new Date(app.clock.now().getTime() + endOfHour).getUTCHours() === 0;
  app.clock.advance(endOfHour - 60_000 + (isLastHour ? HOUR_MS : 0));
  for (let sent = 0; sent < 60; sent += 1) {
    if (sent === 30) app.clock.advance(60_000);
    await postConversion(app, tenant);
    await sleep(40);
  }
  const hourly = await statisticsWith(app, tenant, endpoint, { attempts: 60 });
  const counts = (hourly.steps as unknown as Json[]).map(({ attempts }) => Number(attempts));
  expect(counts.filter((attempts) => attempts > 0)).toHaveLength(2);
  expect(await statisticsOf(app, tenant, endpoint, '?step=day')).toMatchObject({ attempts: 60 });
});

describe('a write of statistics that fails', () => {
  test.each([
    ['is not executed', { closeConnection: true }],
    ['is executed, but not acknowledged', { writeConcernError: { code: 64, errmsg: 'waiting timed out' } }],
  ] as const)('counts each result once: it %s', async (_title, failure) => {
    const { tenant, endpoint } = await listening(app);
    await mongo.failCommands({
      commands: ['update'],
      collection: 'webhookStatistics',
      failure,
      times: 3,
    });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([1, 2, 3, 4].map(() => postConversion(app, tenant)));
      await sleep(700);
    }
    await statisticsWith(app, tenant, endpoint, { attempts: 20 });
    await sleep(2_500);
    expect(await statisticsOf(app, tenant, endpoint)).toMatchObject({ attempts: 20, succeeded: 20 });
    expect(await statisticsOf(app, tenant, endpoint, '?step=day')).toMatchObject({ attempts: 20 });
  });
});

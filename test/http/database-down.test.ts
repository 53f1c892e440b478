import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startTestMongo } from '../support/mongo.ts';

test('returns 503 with a plain message while the database is down', async () => {
  const mongo = await startTestMongo();
  const app = await startApp({ MONGODB_URI: mongo.uri });
  try {
    const { read } = await app.newTenant();
    const list = () => app.request('GET', '/v1/conversations', { key: read });
    expect((await list()).status).toBe(200);
    await mongo.members[0]?.kill();
    const [rest, graphql] = await Promise.all([list(), app.graphql('{ viewer { scope } }', {}, read)]);
    expect(rest.status).toBe(503);
    expect(rest.body.error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The database is unavailable; try again later.',
    });
    expect(JSON.stringify(rest.body)).not.toMatch(/mongo|127\.0\.0\.1/i);
    expect(graphql.body).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
    const health = await app.request('GET', '/api/health');
    expect(health.status).toBe(503);
    expect(health.body).toMatchObject({ status: 'down', database: { status: 'down' } });
  } finally {
    await app.stop().catch(() => {});
    await mongo.stop();
  }
}, 90_000);

import { afterAll } from 'vitest';
import { startApp, type TestApp } from './app.ts';
import { startTestMongo, type TestMongo } from './mongo.ts';

/** Starts an app on a replica set of its own, whose commands a test can make fail; both end with the test file. */
export async function startAppWithFailpoints(): Promise<{ app: TestApp; mongo: TestMongo }> {
  const mongo = await startTestMongo({ failpoints: true });
  const app = await startApp({ MONGODB_URI: mongo.uri });
  afterAll(async () => {
    await app.stop();
    await mongo.stop();
  });
  return { app, mongo };
}

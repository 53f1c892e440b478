// A process that runs an embedded database until it is stopped: `node embedded-owner.ts <dataDir>`.
// Prints one JSON line, `{ "uri" }` or `{ "error" }`; SIGINT stops it in order, with a last write before.
import mongoose from 'mongoose';
import { createLogger } from '../../src/platform/logger.ts';
import { startEmbeddedMongo } from '../../src/runtime/embedded/start-embedded-mongo.ts';
import { testMongod } from './mongo.ts';

const [dataDir = ''] = process.argv.slice(2);
const { path: binary } = await testMongod();

try {
  const mongo = await startEmbeddedMongo({ dataDir, binary, cacheGb: 0.25, log: createLogger('silent') });
  const keepAlive = setInterval(() => {}, 1000);
  process.once('SIGINT', async () => {
    const client = new mongoose.mongo.MongoClient(mongo.uri);
    await client.db().collection('signals').insertOne({ name: 'SIGINT' });
    await client.close();
    clearInterval(keepAlive);
    process.exitCode = 1; // unless the stop itself keeps this process until it is done
    await mongo.stop();
    process.exitCode = 0;
  });
  process.stdout.write(`${JSON.stringify({ uri: mongo.uri })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : 'unknown' })}\n`);
  process.exitCode = 1;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { mongo } from 'mongoose';
import { expect, test } from 'vitest';
import { checkVulnerability } from '../../src/cli/doctor/database-checks.ts';
import { mongoProbes } from '../../src/cli/doctor/database-probes.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { connectMongo } from '../../src/platform/mongo/connect.ts';
import { fixedVersionFor } from '../../src/platform/mongo/server-vulnerability.ts';
import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { startEmbeddedMongo } from '../../src/runtime/embedded/start-embedded-mongo.ts';
import { startCommand } from '../support/command.ts';
import { temporaryDir } from '../support/embedded.ts';
import { testMongod } from '../support/mongo.ts';

const OP_COMPRESSED = 2012;
const OP_MSG = 2013;
const ZLIB = 2;

/** A `hello` in an OP_COMPRESSED message of zlib, which a server reads before authentication. */
function compressedHello(): Buffer {
  const body = Buffer.concat([Buffer.alloc(5), mongo.BSON.serialize({ hello: 1, $db: 'admin' })]);
  const compressed = deflateSync(body);
  const header = Buffer.alloc(25);
  header.writeInt32LE(header.length + compressed.length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(OP_COMPRESSED, 12);
  header.writeInt32LE(OP_MSG, 16);
  header.writeInt32LE(body.length, 20);
  header.writeUInt8(ZLIB, 24);
  return Buffer.concat([header, compressed]);
}

/** Returns the bytes that the server sends in response, until it closes the connection or has sent some. */
async function responseTo(port: number, message: Buffer): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  socket.write(message);
  const chunks: Buffer[] = [];
  const received = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => resolve(void chunks.push(chunk)));
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  await Promise.race([received, sleep(10_000)]);
  socket.destroy();
  return Buffer.concat(chunks);
}

/** A `mongod` with the compressors of MongoDB's default. */
async function startWithZlib(dir: string): Promise<{ child: ChildProcess; port: number; uri: string }> {
  const { path } = await testMongod();
  const dbPath = join(dir, 'db');
  await mkdir(dbPath);
  const port = await freePort();
  const child = spawn(
    path,
    ['--dbpath', dbPath, '--port', `${port}`, '--bind_ip', '127.0.0.1', '--nounixsocket', '--replSet', 'rs'],
    { stdio: 'ignore' },
  );
  const uri = `mongodb://127.0.0.1:${port}/test?directConnection=true`;
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 30_000 });
  await client
    .db('admin')
    .command({ replSetInitiate: { _id: 'rs', members: [{ _id: 0, host: `127.0.0.1:${port}` }] } });
  while (!(await client.db('admin').command({ hello: 1 })).isWritablePrimary) await sleep(50);
  await client.close();
  return { child, port, uri };
}

test('the embedded database rejects a message that is compressed with zlib', async () => {
  await using dir = await temporaryDir();
  const { path: binary } = await testMongod();
  const database = await startEmbeddedMongo({
    dataDir: dir.path,
    binary,
    cacheGb: 0.25,
    log: createLogger('silent'),
  });
  try {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(database.uri)?.[1]);
    expect(await responseTo(port, compressedHello())).toEqual(Buffer.alloc(0));
    const connection = await connectMongo(database.uri);
    expect(await checkVulnerability(mongoProbes(connection))).toMatchObject({ level: 'ok' });
    await connection.close();
  } finally {
    await database.stop();
  }
});

test('doctor and the start warn of a server with CVE-2025-14847 that accepts zlib', async () => {
  await using dir = await temporaryDir();
  const { version } = await testMongod();
  const fixedVersion = fixedVersionFor(version);
  const { child, port, uri } = await startWithZlib(dir.path);
  try {
    expect((await responseTo(port, compressedHello())).length).toBeGreaterThan(0);
    const connection = await connectMongo(uri);
    const finding = await checkVulnerability(mongoProbes(connection));
    const warning = { level: 'warn', action: expect.stringContaining(`to ${fixedVersion} or newer`) };
    expect(finding).toMatchObject(fixedVersion ? warning : { level: 'ok' });
    expect(finding.message).toContain('CVE-2025-14847');
    await connection.close();

    const service = startCommand(['serve'], { MONGODB_URI: uri, DATA_DIR: dir.path, PORT: '0' });
    await service.printed(/"msg":"listening"/);
    const { stdout } = await service.interrupt();
    expect(/"level":"warn".*CVE-2025-14847/.test(stdout)).toBe(fixedVersion !== null);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});

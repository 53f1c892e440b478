import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { freePort } from '../../src/runtime/embedded/free-port.ts';
import { startMongod } from '../../src/runtime/embedded/mongod-process.ts';
import { openEmbeddedMongo } from '../../src/runtime/embedded/open-embedded-mongo.ts';
import { formReplicaSet, replicaSetUri } from '../../src/runtime/embedded/replica-set.ts';
import { runningEmbeddedMongo } from '../../src/runtime/embedded/running-embedded-mongo.ts';
import { startEmbeddedMongo } from '../../src/runtime/embedded/start-embedded-mongo.ts';
import {
  type Owner,
  processesWith,
  read,
  startOwner,
  temporaryDir,
  withDatabase,
} from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { startTestMongo, testMongod } from '../support/mongo.ts';

const log = createLogger('silent');
let binary = '';

beforeAll(async () => {
  binary = (await testMongod()).path;
}, 300_000);

const start = (dataDir: string, lockTimeoutMs?: number) =>
  startEmbeddedMongo({ dataDir, binary, cacheGb: 0.25, lockTimeoutMs, log });

const insert = (uri: string, name: string) =>
  withDatabase(uri, (db) => db.collection('notes').insertOne({ name }, { writeConcern: { w: 'majority' } }));
const names = (uri: string) => withDatabase(uri, (db) => db.collection('notes').distinct('name'));

const mongodsOf = (dataDir: string) => processesWith(`--dbpath ${join(dataDir, 'db')}`);

async function crash(owner: Owner): Promise<void> {
  owner.child.kill('SIGKILL');
  await owner.ended;
}

// Side by side: each waits for other processes most of its time.
describe.concurrent('an embedded database', () => {
  // Alone, since it measures a duration.
  test('keeps its data and its port between starts, and is writable within seconds', {
    concurrent: false,
  }, async () => {
    await using dir = await temporaryDir();
    const first = await start(dir.path);
    await insert(first.uri, 'kept');
    await first.stop();
    await first.exited;
    expect(mongodsOf(dir.path)).toEqual([]);

    const began = Date.now();
    const second = await start(dir.path);
    await insert(second.uri, 'more');
    expect(Date.now() - began).toBeLessThan(10_000); // half a second on an idle machine
    expect(second.uri).toBe(first.uri);
    expect(await names(second.uri)).toEqual(['kept', 'more']);
    await second.stop();
  });

  test('listens on loopback only, as a writable replica set, and restricts its record file to its user', async () => {
    await using dir = await temporaryDir();
    const mongo = await start(dir.path);
    const [options, hello] = await withDatabase(mongo.uri, (db) =>
      Promise.all([db.admin().command({ getCmdLineOpts: 1 }), db.admin().command({ hello: 1 })]),
    );
    expect(options.parsed.net).toMatchObject({ bindIp: '127.0.0.1', unixDomainSocket: { enabled: false } });
    expect(hello).toMatchObject({ isWritablePrimary: true, setName: 'engagement' });
    expect((await stat(join(dir.path, 'embedded.json'))).mode & 0o777).toBe(0o600);
    await mongo.stop();
  });

  test('serves only clients with the key in its directory, which only its user can read', async () => {
    await using dir = await temporaryDir();
    const mongo = await start(dir.path);
    await insert(mongo.uri, 'secret');
    const key = await read(join(dir.path, 'embedded.key'));
    expect((await stat(join(dir.path, 'embedded.key'))).mode & 0o777).toBe(0o600);
    expect(processesWith(key.trim())).toEqual([]);

    const stranger = new URL(mongo.uri);
    stranger.username = '';
    stranger.password = '';
    stranger.searchParams.delete('authSource');
    await withDatabase(stranger.toString(), async (db) => {
      for (const attempt of [
        () => db.collection('notes').findOne(),
        () => db.collection('notes').insertOne({ name: 'forged' }),
        () => db.admin().command({ shutdown: 1, force: true }),
        () => db.admin().command({ createUser: 'root', pwd: 'x', roles: ['root'] }),
      ])
        await expect(attempt()).rejects.toMatchObject({ codeName: 'Unauthorized' });
    });
    stranger.username = '__system';
    stranger.password = 'guess';
    stranger.searchParams.set('authSource', 'local');
    await expect(names(stranger.toString())).rejects.toMatchObject({ codeName: 'AuthenticationFailed' });
    expect(await names(mongo.uri)).toEqual(['secret']);
    await mongo.stop();
  });

  test('opens the data files of an earlier version without a key', async () => {
    await using dir = await temporaryDir();
    await mkdir(join(dir.path, 'db'));
    const port = await freePort();
    const options = { binary, dbPath: join(dir.path, 'db'), port, setName: 'engagement', cacheGb: 0.25, log };
    const earlier = await startMongod(options);
    await formReplicaSet({ setName: 'engagement', ports: [port] });
    await insert(replicaSetUri({ setName: 'engagement', ports: [port], database: 'engagement' }), 'kept');
    await earlier.stop();

    const mongo = await start(dir.path);
    expect(await names(mongo.uri)).toEqual(['kept']);
    await mongo.stop();
  });

  test('waits for a database that does not respond for longer than a selection timeout', async () => {
    await using dir = await temporaryDir();
    const port = await freePort();
    const options = { binary, dbPath: dir.path, port, setName: 'engagement', cacheGb: 0.25, log };
    const mongod = await startMongod(options);
    process.kill(mongod.pid, 'SIGSTOP');
    const resumed = sleep(8_000).then(() => process.kill(mongod.pid, 'SIGCONT'));
    await formReplicaSet({ setName: 'engagement', ports: [port] });
    await resumed;
    const uri = replicaSetUri({ setName: 'engagement', ports: [port], database: 'engagement' });
    await insert(uri, 'written');
    expect(await names(uri)).toEqual(['written']);
    await mongod.stop();
  });

  test('does not attempt again to reach a database that has exited', async () => {
    const startedAt = performance.now();
    const memberExit = AbortSignal.abort();
    const forming = formReplicaSet({ setName: 'engagement', ports: [await freePort()], memberExit });
    await expect(forming).rejects.toThrow('ECONNREFUSED');
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  test('moves to another port with its data when its own is in use', async () => {
    await using dir = await temporaryDir();
    const first = await start(dir.path);
    await insert(first.uri, 'kept');
    await first.stop();
    const squatter = createServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      Number(new URL(first.uri).port),
      '127.0.0.1',
    );
    await once(squatter, 'listening');
    const second = await start(dir.path);
    expect(second.uri).not.toBe(first.uri);
    expect(await names(second.uri)).toEqual(['kept']);
    await second.stop();
    await new Promise((resolve) => squatter.close(resolve));
  });

  test('is shared by other commands while it runs, and rejects a second start', async () => {
    await using dir = await temporaryDir();
    const owner = await startOwner(dir.path);
    expect(await runningEmbeddedMongo(dir.path)).toEqual({ uri: owner.answer.uri, pid: owner.child.pid });
    await expect(start(dir.path)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`in use by process ${owner.child.pid}`),
    });

    const options = { dataDir: dir.path, override: binary, searchPath: '', log, progress: { start: fail } };
    const shared = await openEmbeddedMongo({ ...options, mayUseRunning: true });
    expect(shared.uri).toBe(owner.answer.uri);
    await shared.stop();
    await expect(openEmbeddedMongo({ ...options, mayUseRunning: false })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await runningEmbeddedMongo(dir.path)).not.toBeNull();

    process.kill(-(owner.child.pid ?? 0), 'SIGINT');
    expect(await owner.ended).toBe(0);
    expect(await runningEmbeddedMongo(dir.path)).toBeNull();
  });

  test('is started by a command if none runs, and ends with it', async () => {
    await using dir = await temporaryDir();
    const options = { dataDir: dir.path, override: binary, searchPath: '', log, progress: { start: fail } };
    const own = await openEmbeddedMongo({ ...options, mayUseRunning: true });
    expect(mongodsOf(dir.path)).toHaveLength(1);
    await own.stop();
    expect(mongodsOf(dir.path)).toEqual([]);
  });

  test('belongs to exactly one of two concurrent starts', async () => {
    await using dir = await temporaryDir();
    const owners = await Promise.all([startOwner(dir.path), startOwner(dir.path)]);
    const [winner] = owners.filter(({ answer }) => answer.uri);
    const [loser] = owners.filter(({ answer }) => answer.error);
    expect(loser?.answer.error).toContain(`in use by process ${winner?.child.pid}`);
    expect(await runningEmbeddedMongo(dir.path)).toMatchObject({ uri: winner?.answer.uri });
    expect(mongodsOf(dir.path)).toHaveLength(1);
    winner?.child.kill('SIGINT');
    expect(await winner?.ended).toBe(0);
  });

  test('survives Ctrl-C on the terminal until its owner stops it', async () => {
    await using dir = await temporaryDir();
    const owner = await startOwner(dir.path);
    process.kill(-(owner.child.pid ?? 0), 'SIGINT'); // the whole foreground group, as a terminal does
    expect(await owner.ended).toBe(0);
    const mongo = await start(dir.path);
    expect(await withDatabase(mongo.uri, (db) => db.collection('signals').countDocuments())).toBe(1);
    await mongo.stop();
  });

  test('ends within seconds after kill -9 of its owner; the next start has the written data', async () => {
    await using dir = await temporaryDir();
    const owner = await startOwner(dir.path);
    await insert(owner.answer.uri ?? '', 'committed');
    await crash(owner);
    expect(await runningEmbeddedMongo(dir.path)).toBeNull();
    const next = await start(dir.path); // at once: waits for the lock of the one that is ending
    expect(await names(next.uri)).toEqual(['committed']);
    expect(mongodsOf(dir.path)).toHaveLength(1);
    await next.stop();

    const again = await startOwner(dir.path);
    await crash(again);
    await eventually(() => mongodsOf(dir.path).length === 0, 5000);
  });

  test('whose guard was killed with its owner is stopped by the next start', async () => {
    await using dir = await temporaryDir();
    const owner = await startOwner(dir.path);
    const [mongodPid] = mongodsOf(dir.path);
    const guards = processesWith(`guard ${mongodPid}`);
    expect(guards).toHaveLength(1);
    for (const guard of guards) process.kill(guard, 'SIGKILL');
    await crash(owner);
    expect(mongodsOf(dir.path)).toEqual([mongodPid]);
    expect(await runningEmbeddedMongo(dir.path)).toBeNull();
    const next = await start(dir.path);
    // Its lock is released shortly before its process exits.
    await eventually(() => !mongodsOf(dir.path).includes(mongodPid as number), 5_000);
    await next.stop();
  });

  test('that stays locked times out, with a line that names the holder', async () => {
    await using dir = await temporaryDir();
    const mongo = await start(dir.path);
    await mongo.stop();
    const port = await freePort();
    const holder = await startMongod({
      binary,
      dbPath: join(dir.path, 'db'),
      port,
      setName: 'x',
      cacheGb: 0.25,
      log,
    });
    await expect(start(dir.path, 500)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining(`still locked after 0.5 s (by process ${holder.pid})`),
    });
    await holder.kill();
  });

  test('is not confused with another process under the recorded pid, or with another database', async () => {
    await using dir = await temporaryDir();
    await using other = await temporaryDir();
    const mongo = await start(other.path);
    const record = JSON.parse(await read(join(other.path, 'embedded.json')));
    await writeFile(join(dir.path, 'embedded.json'), JSON.stringify(record));
    expect(await runningEmbeddedMongo(dir.path)).toBeNull(); // answers, but from another directory
    const stranger = { ...record, owner: { ...record.owner, pid: process.ppid } };
    await writeFile(join(other.path, 'embedded.json'), JSON.stringify(stranger));
    expect(await runningEmbeddedMongo(other.path)).toBeNull(); // that process lives, but did not start it
    await writeFile(join(other.path, 'embedded.json'), 'garbage');
    expect(await runningEmbeddedMongo(other.path)).toBeNull();
    await mongo.stop();
  });

  test('whose files are damaged fails at once, without waiting for a lock', async () => {
    await using dir = await temporaryDir();
    await mkdir(join(dir.path, 'db'));
    await writeFile(join(dir.path, 'db', 'storage.bson'), 'garbage');
    const began = Date.now();
    await expect(start(dir.path)).rejects.toThrow(
      /failed to start: mongod exited with exit code 14: .*metadata/,
    );
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  test('whose binary cannot start fails with the reason', async () => {
    await using dir = await temporaryDir();
    const failing = startEmbeddedMongo({ dataDir: dir.path, binary: '/bin/false', log });
    await expect(failing).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('exit code 1'),
    });
  });
});

describe('a test replica set', () => {
  test('of three members elects another primary after a step-down, and after the crash of one', async () => {
    const mongo = await startTestMongo({ members: 3 });
    const primary = () => withDatabase(mongo.uri, async (db) => (await db.admin().command({ hello: 1 })).me);
    await insert(mongo.uri, 'before');
    const first = await primary();
    await mongo.stepDown();
    await eventually(async () => (await primary()) !== first, 10_000);
    const second = await primary();
    await mongo.members.find(({ port }) => second.endsWith(`:${port}`))?.kill();
    await insert(mongo.uri, 'after');
    expect(await names(mongo.uri)).toEqual(['after', 'before']);
    await mongo.stop();
  });
});

function fail(): never {
  throw new Error('nothing was to be fetched');
}

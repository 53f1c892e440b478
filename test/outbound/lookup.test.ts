import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLookup } from '../../src/outbound/dns-lookup.ts';
import { type NameServerAnswer, nameServer } from './name-server.ts';

async function hosts(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'hosts-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'hosts'), text);
  return join(directory, 'hosts');
}

const addresses = (found: readonly { address: string }[]) => found.map(({ address }) => address);

describe('the look-up of a name', () => {
  test('resolves all addresses of a name by DNS, and caches them for their TTL', async () => {
    const server = await nameServer(() => ({ a: ['192.0.2.1', '192.0.2.2'], ttl: 60 }));
    const lookup = createLookup({ servers: [server.address] });
    expect(addresses(await lookup('receiver.test'))).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(addresses(await lookup('receiver.test.'))).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(server.queries.toSorted()).toEqual(['A receiver.test', 'AAAA receiver.test']);
  });

  test('does not cache a TTL of 0', async () => {
    let next = 1;
    const server = await nameServer((_name, type) => ({
      a: type === 'A' ? [`192.0.2.${next++}`] : [],
      ttl: 0,
    }));
    const lookup = createLookup({ servers: [server.address] });
    expect(addresses(await lookup('receiver.test'))).toEqual(['192.0.2.1']);
    expect(addresses(await lookup('receiver.test'))).toEqual(['192.0.2.2']);
  });

  test('sends one query for concurrent look-ups of a name', async () => {
    const server = await nameServer(() => ({ a: ['192.0.2.1'] }));
    const lookup = createLookup({ servers: [server.address] });
    await Promise.all(Array.from({ length: 20 }, () => lookup('receiver.test')));
    expect(server.queries).toHaveLength(2);
  });

  test.each<[string, NameServerAnswer]>([
    ['does not exist', { rcode: 'NXDOMAIN' }],
    ['cannot be resolved', { rcode: 'SERVFAIL' }],
    ['has no address', { a: [] }],
  ])('rejects when a name %s', async (_what, answer) => {
    const server = await nameServer(() => answer);
    await expect(createLookup({ servers: [server.address] })('receiver.test')).rejects.toThrow();
  });

  test('resolves the A records of a name whose AAAA query fails', async () => {
    const server = await nameServer((_name, type) =>
      type === 'A' ? { a: ['192.0.2.1'] } : { rcode: 'SERVFAIL' },
    );
    const found = await createLookup({ servers: [server.address] })('receiver.test');
    expect(addresses(found)).toEqual(['192.0.2.1']);
  });

  test('rejects when the A query fails, whatever the AAAA result', async () => {
    const server = await nameServer((_name, type) => (type === 'A' ? { rcode: 'SERVFAIL' } : { a: [] }));
    await expect(createLookup({ servers: [server.address] })('receiver.test')).rejects.toThrow();
  });

  test('blocks neither other look-ups nor file reads while name servers do not respond', async () => {
    const server = await nameServer((name) => (name.startsWith('slow') ? 'silence' : { a: ['192.0.2.1'] }));
    const lookup = createLookup({ servers: [server.address], hosts: await hosts('') });
    let settled = 0;
    const slow = Array.from({ length: 50 }, (_, i) =>
      lookup(`slow${i}.test`)
        .then(
          () => 'found',
          () => 'not found',
        )
        .finally(() => {
          settled += 1;
        }),
    );
    const startedAt = performance.now();
    expect(addresses(await lookup('receiver.test'))).toEqual(['192.0.2.1']);
    await readFile(new URL(import.meta.url));
    expect(settled).toBe(0);
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['not found']));
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  test('returns the loopback addresses for localhost and its subdomains, without a query', async () => {
    const server = await nameServer(() => ({ a: ['192.0.2.1'] }));
    const lookup = createLookup({ servers: [server.address] });
    for (const name of ['localhost', 'localhost.', 'app.localhost']) {
      expect(addresses(await lookup(name))).toEqual(['127.0.0.1', '::1']);
    }
    expect(server.queries).toEqual([]);
  });

  test('prefers the hosts file to DNS', async () => {
    const server = await nameServer(() => ({ a: ['192.0.2.1'] }));
    const file = await hosts(
      '# receivers\n10.0.0.7\tReceiver.test other.test # two names\nfe80::7 other.test\nbad line\n',
    );
    const lookup = createLookup({ servers: [server.address], hosts: file });
    expect(await lookup('receiver.test')).toEqual([{ address: '10.0.0.7', family: 4 }]);
    expect(addresses(await lookup('other.test.'))).toEqual(['10.0.0.7', 'fe80::7']);
    expect(addresses(await lookup('receiver.test.example'))).toEqual(['192.0.2.1']);
  });

  test('uses DNS when there is no hosts file', async () => {
    const server = await nameServer(() => ({ a: ['192.0.2.1'] }));
    const lookup = createLookup({
      servers: [server.address],
      hosts: join(tmpdir(), 'no-such-directory', 'hosts'),
    });
    expect(addresses(await lookup('receiver.test'))).toEqual(['192.0.2.1']);
  });
});

import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { createClientAddress, createClientNetwork } from '../../../src/http/access/client-address.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

interface Case {
  peer: string | undefined;
  xff?: string;
  forwarded?: string;
}

const networkIn = (trusted: string | undefined, { peer, xff, forwarded }: Case): string =>
  createClientNetwork(createClientAddress(loadConfig({ TRUSTED_PROXIES: trusted }).trustedProxies))({
    // biome-ignore lint/suspicious/noExplicitAny: only the peer's address is read.
    socket: { remoteAddress: peer } as any,
    headers: {
      ...(xff === undefined ? {} : { 'x-forwarded-for': xff }),
      ...(forwarded === undefined ? {} : { forwarded }),
    },
  });

const TRUSTED = '10.0.0.0/8, 127.0.0.1, 2001:db8:5::/48';
const PROXY = '10.0.0.1';
const CLIENT = '198.51.100.7';

describe('without trusted proxies the client is the peer', () => {
  test.each<[Case, string]>([
    [{ peer: CLIENT }, CLIENT],
    [{ peer: CLIENT, xff: '203.0.113.9' }, CLIENT],
    [{ peer: CLIENT, forwarded: 'for=203.0.113.9' }, CLIENT],
    [{ peer: '127.0.0.1', xff: '203.0.113.9' }, '127.0.0.1'],
    [{ peer: `::ffff:${CLIENT}` }, CLIENT],
    [
      { peer: '2001:db8:1:2:3:4:5:6' },
      '2001:db8:1:2'.replaceAll(/[^:]+/g, (part) => String(Number.parseInt(part, 16))),
    ],
    [{ peer: undefined }, 'null'],
  ])('%j', (given, expected) => {
    expect(networkIn(undefined, given)).toBe(expected);
  });

  test('addresses of one IPv6 /64 are one client', () => {
    const of = (peer: string) => networkIn(undefined, { peer });
    expect(of('2001:db8:1:2::1')).toBe(of('2001:db8:1:2:ffff::9'));
    expect(of('2001:db8:1:2::1')).not.toBe(of('2001:db8:1:3::1'));
  });
});

describe('behind trusted proxies the client is the rightmost hop that is not trusted', () => {
  test.each<[string, Case, string]>([
    ['a peer that is not trusted', { peer: '192.0.2.1', xff: CLIENT }, '192.0.2.1'],
    ['no header', { peer: PROXY }, PROXY],
    ['one proxy', { peer: PROXY, xff: CLIENT }, CLIENT],
    ['a peer as IPv4-mapped IPv6', { peer: `::ffff:${PROXY}`, xff: CLIENT }, CLIENT],
    ['a hop as IPv4-mapped IPv6', { peer: PROXY, xff: `::ffff:${CLIENT}` }, CLIENT],
    ['two proxies', { peer: PROXY, xff: `${CLIENT}, 10.9.9.9` }, CLIENT],
    ['three proxies', { peer: '127.0.0.1', xff: `${CLIENT},10.0.0.3,10.0.0.2` }, CLIENT],
    ['a forged hop', { peer: PROXY, xff: `203.0.113.9, ${CLIENT}` }, CLIENT],
    ['a forged trusted hop', { peer: PROXY, xff: `10.0.0.5, ${CLIENT}` }, CLIENT],
    ['forged garbage', { peer: PROXY, xff: `", ;=<script>, ${CLIENT}` }, CLIENT],
    ['a forged hop before two proxies', { peer: PROXY, xff: `203.0.113.9, ${CLIENT}, 10.0.0.2` }, CLIENT],
    ['trusted hops only', { peer: PROXY, xff: '10.0.0.3, 10.0.0.2' }, '10.0.0.3'],
    ['garbage', { peer: PROXY, xff: 'garbage' }, PROXY],
    ['garbage behind another proxy', { peer: PROXY, xff: `${CLIENT}, unknown, 10.0.0.2` }, '10.0.0.2'],
    ['an empty header', { peer: PROXY, xff: '' }, PROXY],
    ['an empty hop', { peer: PROXY, xff: `${CLIENT},` }, PROXY],
    ['a short form of an address', { peer: PROXY, xff: '127.1' }, PROXY],
    ['a number', { peer: PROXY, xff: '3325256711' }, PROXY],
    ['a hop with a port', { peer: PROXY, xff: `${CLIENT}:4711` }, CLIENT],
    ['an IPv6 hop', { peer: PROXY, xff: '2001:db8:7::1' }, '8193:3512:7:0'],
    ['an IPv6 hop in brackets with a port', { peer: PROXY, xff: '[2001:db8:7::1]:4711' }, '8193:3512:7:0'],
    ['an IPv6 proxy', { peer: '2001:db8:5::1', xff: `${CLIENT}, 2001:db8:5:ffff::2` }, CLIENT],
  ])('X-Forwarded-For: %s', (_name, given, expected) => {
    expect(networkIn(TRUSTED, given)).toBe(expected);
  });

  test.each<[string, string, string]>([
    ['one proxy', `for=${CLIENT}`, CLIENT],
    ['other parameters', `proto=https;for=${CLIENT};by=10.0.0.1;host="a,b;for=1"`, CLIENT],
    ['another case and spaces', `For=203.0.113.9 ,  FOR=${CLIENT}`, CLIENT],
    ['two proxies', `for=${CLIENT}, for=10.0.0.2;proto=http`, CLIENT],
    ['a quoted address', `for="${CLIENT}"`, CLIENT],
    ['a quoted address with a port', `for="${CLIENT}:4711"`, CLIENT],
    ['an unquoted address with a port', `for=${CLIENT}:4711`, CLIENT],
    ['IPv6', 'for="[2001:db8:7::1]"', '8193:3512:7:0'],
    ['IPv6 with a port', 'for="[2001:db8:7::1]:4711"', '8193:3512:7:0'],
    ['IPv6 with an obfuscated port', 'for="[2001:db8:7::1]:_x"', '8193:3512:7:0'],
    ['an IPv6 proxy', `for=${CLIENT}, for="[2001:db8:5::9]:80"`, CLIENT],
    ['escapes', `for="198\\.51.100.7"`, CLIENT],
    ['empty parameters', `;for=${CLIENT};`, CLIENT],
    ['unknown', 'for=203.0.113.9, for=unknown', PROXY],
    ['an obfuscated name', 'for=203.0.113.9, for=_gazonk', PROXY],
    ['no for', 'for=203.0.113.9, proto=http', PROXY],
    ['an empty element', 'for=203.0.113.9,', PROXY],
    ['two addresses in one element', `for=203.0.113.9;for=${CLIENT}`, PROXY],
    ['an unbalanced quote of the client', `for="203.0.113.9, for=${CLIENT}`, PROXY],
    ['a quote that spans the hop of the proxy', 'for=203.0.113.9, for="x, for="[2001:db8:7::1]"', PROXY],
    ['an escaped quote at the end', `for="x\\", for=${CLIENT}`, PROXY],
    ['no parameter', 'garbage', PROXY],
    ['nothing', '', PROXY],
  ])('Forwarded: %s', (_name, forwarded, expected) => {
    expect(networkIn(TRUSTED, { peer: PROXY, forwarded })).toBe(expected);
  });
});

describe('with both headers', () => {
  const both = (xff: string, forwarded: string) => networkIn(TRUSTED, { peer: PROXY, xff, forwarded });

  test('the client is the one that both name', () => {
    expect(both(CLIENT, `for=${CLIENT}`)).toBe(CLIENT);
  });

  test('that differ, the client is the proxy, because one is forged', () => {
    expect(both(CLIENT, 'for=203.0.113.9')).toBe(PROXY);
    expect(both(CLIENT, 'for=')).toBe(PROXY);
    expect(both('garbage', `for=${CLIENT}`)).toBe(PROXY);
  });
});

test('headers of the maximum size are processed quickly', async () => {
  const cpuMs = await cpuMsOf(() => {
    for (const part of [',', ' ', '"', '\\', 'for="', 'for=a;', 'a', '\t,', '=', '[', ':', '10.0.0.1,']) {
      const text = part.repeat(16_384 / part.length);
      for (const value of [text, `for=1.2.3.4,${text}"`, `for=${text}`, `for="${text}`]) {
        networkIn(TRUSTED, { peer: PROXY, xff: value });
        networkIn(TRUSTED, { peer: PROXY, forwarded: value });
      }
    }
  });
  expect(cpuMs).toBeLessThan(5_000);
});

import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/outbound/private-address-ranges.ts';

/** First and last address of each refused IPv4 range, and the public neighbours before and after it. */
const V4_RANGES = [
  [undefined, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', undefined],
  [undefined, '240.0.0.0', '255.255.255.255', undefined],
] as const;

const V6_RANGES = [
  [undefined, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  [
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  [
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
  ],
  ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  [
    '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8001::',
  ],
  ['3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
  [undefined, '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
] as const;

describe('the check for public addresses', () => {
  test.each([...V4_RANGES, ...V6_RANGES])(
    'accepts %s, rejects %s to %s, and accepts %s',
    (before, firstAddress, lastAddress, after) => {
      expect(isPublicAddress(firstAddress)).toBe(false);
      expect(isPublicAddress(lastAddress)).toBe(false);
      if (before !== undefined) expect(isPublicAddress(before)).toBe(true);
      if (after !== undefined) expect(isPublicAddress(after)).toBe(true);
    },
  );

  test.each([
    ['loopback', '::1'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-mapped in hexadecimal', '::ffff:808:808'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-translated (RFC 2765)', '::ffff:0:808:808'],
    ['NAT64 (RFC 6052)', '64:ff9b::808:808'],
    ['local NAT64 (RFC 8215)', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['discard only', '100::1'],
    ['dummy prefix (RFC 9780)', '100:0:0:1::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['benchmarks', '2001:2::1'],
    ['ORCHID', '2001:10::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['segment routing', '5f00::1'],
    ['unique-local, Amazon metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
  ])('rejects IPv6 %s: %s', (_kind, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    '',
    'example.com',
    '8.8.8',
    '8.8.8.8.',
    '010.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '[2606:4700::1]',
    ' 8.8.8.8',
  ])('rejects a non-canonical address: %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test('rejects every IPv4 address in mapped, compatible, NAT64, 6to4 and Teredo form', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), fc.nat(0xffff), (high, low) => {
        const [h, l] = [high.toString(16), low.toString(16)];
        const teredo = `${(high ^ 0xffff).toString(16)}:${(low ^ 0xffff).toString(16)}`;
        for (const address of [
          `::ffff:${h}:${l}`,
          `::ffff:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`,
          `::${h}:${l}`,
          `::ffff:0:${h}:${l}`,
          `64:ff9b::${h}:${l}`,
          `64:ff9b:1::${h}:${l}`,
          `2002:${h}:${l}::1`,
          `2001:0:0:0:0:0:${teredo}`,
        ]) {
          expect(isIP(address)).toBe(6);
          expect(isPublicAddress(address)).toBe(false);
        }
      }),
    );
  });

  test('depends on the numeric address alone, for both families', () => {
    const number = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    const isRefused = (n: number) => V4_RANGES.some(([, from, to]) => n >= number(from) && n <= number(to));
    fc.assert(
      fc.property(fc.ipV4(), (address) => isPublicAddress(address) === !isRefused(number(address))),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const inGlobalUnicast = /^[23][0-9a-f]{3}:/i.test(address);
        return inGlobalUnicast || !isPublicAddress(address);
      }),
      { numRuns: 2_000 },
    );
  });
});

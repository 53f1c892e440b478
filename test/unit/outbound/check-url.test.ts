import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { DEFAULT_BLOCKED_PORTS } from '../../../src/outbound/blocked-ports.ts';
import { checkUrl } from '../../../src/outbound/target-policy.ts';

const tenant = { allowPrivate: false };
const development = { allowPrivate: true };

const NOT_PUBLIC = 'The address must not point to a private, local or reserved network.';
const NOT_VALID = 'The address is not a valid URL.';
const NO_USER = 'The address must not contain a user name or password.';
const BAD_HOST = 'The address does not contain a valid host name.';
const ODD_CHARACTERS = 'The address contains white space, control characters or a backslash.';

describe('the URL of an endpoint may be', () => {
  test.each([
    'https://example.com',
    'https://example.com/hooks?tenant=1&x=a@b#part',
    'https://example.com/@name',
    'HTTPS://EXAMPLE.COM/hooks',
    'https://example.com.:8443/hooks',
    'https://hooks.example.co.uk:443/',
    'https://bücher.example/',
    'https://_hooks.example.com/',
    'https://localhost.example.com/',
    'https://notlocalhost.example/',
    `https://${'a'.repeat(63)}.example.com/`,
    'https://xn--bcher-kva.example/',
    'https://metadata.example.com/',
    'https://notmetadata.google.internal.example.com/',
    'https://127.0.0.1.nip.io/', // resolves to a refused address: found out at delivery
    'https://10.example.com/',
    'https://8.8.8.8/hooks',
    'https://[2606:4700::6810:84e5]/hooks',
  ])('%s', (url) => {
    expect(checkUrl(url, tenant)).toBeNull();
  });

  test('an address of exactly 2048 characters, but not of more', () => {
    const longest = `https://example.com/${'x'.repeat(2048 - 'https://example.com/'.length)}`;
    expect(checkUrl(longest, tenant)).toBeNull();
    expect(checkUrl(`${longest}x`, tenant)).toBe('The address is longer than 2048 characters.');
  });
});

describe('a URL is rejected as not public', () => {
  test.each([
    // loopback, in all the ways to write it
    'https://127.0.0.1/',
    'https://127.0.0.1:8443/hooks',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://127.0.1/',
    'https://127.255.255.254/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0X7F.1/',
    'https://0x7f.0x0.0x0.0x1/',
    'https://017700000001/',
    'https://0177.0.0.01/',
    'https://127.0.0.0x1/',
    'https://%31%32%37.0.0.1/',
    'https://127%2e0.0.1/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://①②⑦.0.0.1/',
    // unspecified and broadcast
    'https://0/',
    'https://0.0.0.0/',
    'https://0x0/',
    'https://255.255.255.255/',
    'https://0xffffffff/',
    // private, carrier-grade NAT, link-local, cloud
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://192.168.257/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0251.0376.0251.0376/',
    'https://2852039166/',
    'https://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
    // IPv6, and IPv4 within it
    'https://[::]/',
    'https://[::1]/',
    'https://[::1]:8443/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::169.254.169.254]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fd20:ce::254]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    // names
    'https://localhost/',
    'https://LOCALHOST:3000/',
    'https://localhost./',
    'https://a.b.localhost/',
    'https://a.localhost./',
    'https://%6c%6f%63alhost/',
    'https://ℓocalhost/',
    'https://loc\u00adalhost/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://metadata.google.internal./',
    'https://METADATA。google。internal/',
    'https://metadata.goog/',
    'https://metadata/',
    'https://instance-data/',
    'https://instance-data.ec2.internal/',
    'https://metadata.azure.internal/',
    'https://x.metadata.packet.net/',
  ])('%s', (url) => {
    expect(checkUrl(url, tenant)).toBe(NOT_PUBLIC);
  });
});

describe('a URL is rejected by its form, whatever the policy', () => {
  test.each([
    ['', NOT_VALID],
    ['example.com', NOT_VALID],
    ['//example.com', NOT_VALID],
    ['https://', NOT_VALID],
    ['https://1.2.3.4.5/', NOT_VALID],
    ['https://256.1.1.1/', NOT_VALID],
    ['https://4294967296/', NOT_VALID],
    ['https://host.127/', NOT_VALID],
    ['https://[fe80::1%25eth0]/', NOT_VALID],
    ['https://[::1/', NOT_VALID],
    ['https://127.0.0.1%00.example.com/', NOT_VALID],
    ['https://example.com:65536/', NOT_VALID],
    ['https://user:pass@example.com/', NO_USER],
    ['https://user@example.com/', NO_USER],
    ['https://@example.com/', NO_USER],
    ['https://:@example.com/', NO_USER],
    ['https://example.com%2f@127.0.0.1/', NO_USER],
    ['https://example.com:0/', 'The address must not use port 0.'],
    ['https://a..example.com/', BAD_HOST],
    ['https://.example.com/', BAD_HOST],
    ['https://xn--/in', BAD_HOST],
    ['https://xn--.example.com/', BAD_HOST],
    ['https://xn--zzzzzzzz9999.example.com/', BAD_HOST],
    ['https://-a.example.com/', BAD_HOST],
    ['https://a-.example.com/', BAD_HOST],
    ['https://*.example.com/', BAD_HOST],
    ['https://a!b.example.com/', BAD_HOST],
    ['https://a,b.example.com/', BAD_HOST],
    [`https://${'a'.repeat(64)}.example.com/`, BAD_HOST],
    [`https://${'a.'.repeat(125)}example.com/`, BAD_HOST],
    ['https://localhost../', BAD_HOST],
    [' https://example.com/', ODD_CHARACTERS],
    ['https://exa\tmple.com/', ODD_CHARACTERS],
    ['https://example.com/\r\nHost: other', ODD_CHARACTERS],
    ['https://example.com/\u0000', ODD_CHARACTERS],
    ['https://example.com\\@127.0.0.1/', ODD_CHARACTERS],
    ['https:\\\\127.0.0.1\\', ODD_CHARACTERS],
  ])('%j', (url, problem) => {
    expect(checkUrl(url, tenant)).toBe(problem);
    expect(checkUrl(url, development)).toBe(problem);
  });

  test.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https:example.com',
    'https:/example.com',
  ])('%s', (url) => {
    expect(checkUrl(url, tenant)).toBe('The address must start with https://.');
    expect(checkUrl(url, development)).toBe('The address must start with https:// or http://.');
  });
});

test.each(['https://notlocalhost/', 'https://intranet./', 'https://receiver:8443/'])(
  'checkUrl rejects %s, a name without a domain, except in development',
  (url) => {
    expect(checkUrl(url, tenant)).toBe('The host name must have a domain, such as hooks.example.com.');
    expect(checkUrl(url, development)).toBeNull();
  },
);

describe('where private targets are permitted, a URL', () => {
  test.each([
    'http://127.0.0.1:4010/hooks',
    'http://localhost:4010',
    'https://[::1]:4010',
    'http://10.0.0.1',
    'http://receiver:80',
  ])('accepts %s, which production rejects for tenants', (url) => {
    expect(checkUrl(url, development)).toBeNull();
    if (url.startsWith('http:')) expect(checkUrl(url, tenant)).toBe('The address must start with https://.');
    else expect(checkUrl(url, tenant)).toBe(NOT_PUBLIC);
  });
});

describe('a blocked port is rejected, whatever the policy', () => {
  const blockedPorts = DEFAULT_BLOCKED_PORTS;

  test.each([22, 25, 445, 3306, 5432, 6379, 9200, 10080, 11211, 27017])('%i', (port) => {
    const problem = expect.stringContaining(`must not use port ${port}:`);
    for (const url of [
      `https://example.com:${port}/`,
      `https://example.com:0${port}/x`,
      `https://8.8.8.8:${port}`,
    ])
      for (const policy of [tenant, development]) {
        expect(checkUrl(url, { ...policy, blockedPorts })).toEqual(problem);
        expect(checkUrl(url, policy)).toBeNull();
      }
  });

  test.each([80, 443, 3000, 4433, 8000, 8080, 8443, 9000, 49152])('but not %i', (port) => {
    expect(checkUrl(`https://example.com:${port}/`, { ...tenant, blockedPorts })).toBeNull();
  });

  test('by the default port of the protocol as well', () => {
    const policy = { ...development, blockedPorts: new Set([80, 443]) };
    expect(checkUrl('https://example.com/', policy)).toContain('port 443');
    expect(checkUrl('http://example.com/', policy)).toContain('port 80');
  });
});

describe('with allowed subnets, a URL', () => {
  const subnets = {
    allowPrivate: false,
    allowedSubnets: loadConfig({ WEBHOOK_ALLOWED_SUBNETS: '10.1.0.0/16,127.0.0.1,fd12::/16' })
      .webhookAllowedSubnets,
  };

  test.each([
    'https://10.1.2.3/hooks',
    'http://10.1.2.3:8080/hooks',
    'http://167838211/', // 10.1.2.3
    'http://0xa.1.2.3/',
    'http://[::ffff:10.1.2.3]/',
    'http://[fd12::1]/',
    'http://localhost:8080/',
    'https://8.8.8.8/',
    // Their addresses decide at delivery.
    'http://hooks.internal.example.com/',
    'http://hooks/',
  ])('accepts %s', (url) => {
    expect(checkUrl(url, subnets)).toBeNull();
  });

  test.each([
    ['https://10.2.0.1/', NOT_PUBLIC],
    ['http://10.0.255.255/', NOT_PUBLIC],
    ['http://[fd13::1]/', NOT_PUBLIC],
    ['http://[::1]/', NOT_PUBLIC],
    ['https://169.254.169.254/', NOT_PUBLIC],
    ['http://metadata.google.internal/', NOT_PUBLIC],
    ['http://8.8.8.8/', 'The address must start with https://.'],
  ])('refuses %s', (url, problem) => {
    expect(checkUrl(url, subnets)).toBe(problem);
  });
});

import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import CacheableLookup from 'cacheable-lookup';
import { OutboundError } from './outbound-errors.ts';
import { type AddressCheck, isLocalhost, LOOPBACK } from './target-policy.ts';

/** Returns the addresses of a host name; rejects, or returns an empty list, if there are none. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** How long a DNS answer is cached at most, whatever its TTL, so that a changed address takes effect. */
const MAX_TTL_SECONDS = 30;

/** Time until an unresponsive name server is queried for the second and last time. */
const QUERY_TIMEOUT_MS = 2_000;

/** Maximum number of addresses tried for one name, so that a long answer does not turn into a port scan. */
const MAX_ADDRESSES = 8;

/** Interval after which the hosts file is read again. */
const HOSTS_REREAD_MS = 10_000;

interface LookupOptions {
  /** Name servers as `address:port`; the machine's own by default. */
  servers?: readonly string[];
  /** Path of the hosts file, which takes precedence over DNS. */
  hosts?: string;
}

/**
 * Creates the lookup of the service: `localhost` (RFC 6761), the hosts file, then DNS over its own sockets.
 * `getaddrinfo` is not used: it blocks one of the four threads of libuv's pool until the name server answers, so four
 * slow names of one tenant would stop all file access and all lookups of the process. Search domains and multicast
 * DNS, which only it supports, are not available: targets are fully qualified names.
 */
export function createLookup({ servers, hosts = '/etc/hosts' }: LookupOptions = {}): Lookup {
  const resolver = tolerantResolver();
  if (servers !== undefined) resolver.setServers(servers);
  const dns = new CacheableLookup({ resolver, maxTtl: MAX_TTL_SECONDS, lookup: false, fallbackDuration: 0 });
  const lookupInHostsFile = hostsFile(hosts);
  return async (hostname) => {
    if (isLocalhost(hostname)) return LOOPBACK;
    const name = hostname.replace(/\.$/, '');
    const addresses = await lookupInHostsFile(name);
    return addresses.length > 0 ? addresses : dns.lookupAsync(name, { all: true });
  };
}

/** Creates a resolver that keeps the A records if only the AAAA query fails, as it does with some load balancers. */
function tolerantResolver() {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, maxTimeout: QUERY_TIMEOUT_MS, tries: 2 });
  const { resolve6 } = resolver;
  return Object.assign(resolver, {
    resolve6: (hostname: string, options: { ttl: true }) =>
      resolve6.call(resolver, hostname, options).catch(() => []),
  });
}

/**
 * Resolves a name and checks its addresses. One blocked address blocks the name, because an answer that mixes public and
 * private addresses is an attack or a mistake; of `localhost`, which is both loopback addresses, the allowed ones are
 * returned. Cached answers are checked again for every connection.
 *
 * @param unresolved code for a name without an address. Where addresses are blocked it is `blocked_address`: a tenant
 *   could otherwise find out which names exist in the operator's network
 * @returns at least one address
 * @throws OutboundError
 */
export async function checkedAddresses(
  hostname: string,
  lookup: Lookup,
  isAllowed: AddressCheck,
  unresolved: 'dns' | 'blocked_address',
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const found = await lookup(hostname).catch((cause: unknown) => {
    throw new OutboundError(unresolved, 'The name could not be resolved.', cause);
  });
  const allowed = found.filter(({ address }) => isAllowed(address));
  if (found.length > 0 && (isLocalhost(hostname) ? allowed.length === 0 : allowed.length < found.length)) {
    throw new OutboundError('blocked_address', 'The name resolves to a blocked address.');
  }
  const [first, ...more] = allowed;
  if (first === undefined) throw new OutboundError(unresolved, 'The name has no address.');
  return [first, ...more.slice(0, MAX_ADDRESSES - 1)];
}

/**
 * Adapts a lookup to the lookup function of a socket. The socket connects only to addresses that were checked here,
 * which prevents DNS rebinding.
 */
export function checkedLookup(
  lookup: Lookup,
  isAllowed: AddressCheck,
  unresolved: 'dns' | 'blocked_address',
): LookupFunction {
  return (hostname, { all }, callback) => {
    checkedAddresses(hostname, lookup, isAllowed, unresolved).then(
      (addresses) => {
        if (all) callback(null, [...addresses]);
        else callback(null, addresses[0].address, addresses[0].family);
      },
      (error: OutboundError) => callback(error, '', 0),
    );
  };
}

/**
 * Creates a lookup in the hosts file of the machine, which DNS libraries ignore and containers rely on. An unreadable
 * file counts as empty.
 * @param path of a file in the format of hosts(5)
 */
function hostsFile(path: string): (hostname: string) => Promise<readonly LookupAddress[]> {
  let names: Promise<Map<string, LookupAddress[]>> | undefined;
  let readAt = 0;
  return async (hostname) => {
    if (names === undefined || performance.now() - readAt > HOSTS_REREAD_MS) {
      readAt = performance.now();
      names = readFile(path, 'utf8').then(parseHosts, () => new Map());
    }
    return (await names).get(hostname) ?? [];
  };
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      names.set(name, [...(names.get(name) ?? []), { address, family }]);
    }
  }
  return names;
}

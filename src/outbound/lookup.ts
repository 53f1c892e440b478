import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import CacheableLookup from 'cacheable-lookup';
import { isLocalhost } from './address-policy.ts';
import { OutboundError } from './errors.ts';
import { hostsFile } from './hosts-file.ts';

/** Finds the addresses of a host name; rejects, or finds none, when there is none. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Seconds for which an answer is kept at most, whatever its TTL, so that a receiver that moves is followed. */
const MAX_TTL = 30;

/** Milliseconds until a name server that does not answer is asked the second and last time. */
const QUERY_TIMEOUT = 2_000;

/** Addresses of one name that are tried at most, so that a long answer does not become a scan. */
const MAX_ADDRESSES = 8;

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

interface LookupOptions {
  /** Name servers as `address:port`; those of the machine by default. */
  servers?: readonly string[];
  /** Path of the hosts file; it goes before DNS. */
  hosts?: string;
}

/**
 * The look-up of the service: `localhost` (RFC 6761), the hosts file, then DNS over sockets of its own.
 * `getaddrinfo` is not used: it holds one of the four threads of libuv's pool for as long as a name server
 * likes, and four slow names of one tenant would stop every file and every look-up of the process. What only it
 * knows (search domains, multicast DNS) is not found: targets are full names.
 */
export function createLookup({ servers, hosts = '/etc/hosts' }: LookupOptions = {}): Lookup {
  const resolver = tolerantResolver();
  if (servers !== undefined) resolver.setServers(servers);
  const dns = new CacheableLookup({ resolver, maxTtl: MAX_TTL, lookup: false, fallbackDuration: 0 });
  const local = hostsFile(hosts);
  return async (hostname) => {
    if (isLocalhost(hostname)) return LOOPBACK;
    const name = hostname.replace(/\.$/, '');
    const addresses = await local(name);
    return addresses.length > 0 ? addresses : dns.lookupAsync(name, { all: true });
  };
}

/** A name server that fails on AAAA alone, as some load balancers do, does not take the A records with it. */
function tolerantResolver() {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT, maxTimeout: QUERY_TIMEOUT, tries: 2 });
  const { resolve6 } = resolver;
  return Object.assign(resolver, {
    resolve6: (hostname: string, options: { ttl: true }) =>
      resolve6.call(resolver, hostname, options).catch(() => []),
  });
}

/**
 * Makes a look-up the one that a socket connects by: what it hands on was checked, and the socket connects to
 * nothing else, so a name that changes its address between check and connection gains nothing.
 * One refused address refuses the name: an answer that mixes public and private ones is an attack or a mistake.
 * Every connection is checked anew, an answer from a cache too.
 */
export function checkedLookup(lookup: Lookup, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    const fail = (error: OutboundError) => callback(error, '', 0);
    lookup(hostname).then(
      (found) => {
        const first = found[0];
        if (first === undefined) return fail(new OutboundError('dns', 'The name has no address.'));
        if (!found.every(({ address }) => isAllowed(address))) {
          return fail(new OutboundError('blocked_address', 'The name resolves to a refused address.'));
        }
        if (all) callback(null, found.slice(0, MAX_ADDRESSES));
        else callback(null, first.address, first.family);
      },
      (cause) => fail(new OutboundError('dns', 'The name could not be resolved.', cause)),
    );
  };
}

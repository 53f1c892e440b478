import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The IANA IPv4 special-purpose registry, multicast, class E, and addresses that clouds reserve. */
const BLOCKED_IPV4_RANGES = [
  '0.0.0.0/8', // this network, unspecified (RFC 791)
  '10.0.0.0/8', // private (RFC 1918)
  '100.64.0.0/10', // carrier-grade NAT (RFC 6598), including the metadata address of Alibaba Cloud
  '127.0.0.0/8', // loopback (RFC 1122)
  '168.63.129.16/32', // WireServer of Azure: a public address that the host of a virtual machine answers
  '169.254.0.0/16', // link-local (RFC 3927), including the metadata address of most clouds
  '172.16.0.0/12', // private (RFC 1918)
  '192.0.0.0/24', // IETF protocol assignments (RFC 6890), including the metadata address of Oracle Cloud
  '192.0.2.0/24', // documentation (RFC 5737)
  '192.31.196.0/24', // AS112 (RFC 7535)
  '192.52.193.0/24', // automatic multicast tunnelling (RFC 7450)
  '192.88.99.0/24', // 6to4 relays (RFC 7526)
  '192.168.0.0/16', // private (RFC 1918)
  '192.175.48.0/24', // AS112 (RFC 7534)
  '198.18.0.0/15', // benchmarks (RFC 2544)
  '198.51.100.0/24', // documentation (RFC 5737)
  '203.0.113.0/24', // documentation (RFC 5737)
  '224.0.0.0/4', // multicast (RFC 1112)
  '240.0.0.0/4', // reserved, including the broadcast address (RFC 1112, RFC 919)
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * The only IPv6 range allocated as global unicast. Outside it are loopback, unique-local, link-local, site-local and
 * multicast addresses, and the forms that embed an IPv4 address: mapped, compatible, NAT64.
 */
const GLOBAL_UNICAST_IPV6_RANGE = ipaddr.IPv6.parseCIDR('2000::/3');

/** Special-purpose ranges within global unicast, from the IANA registries. */
const BLOCKED_IPV6_RANGES = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarks, ORCHID, AMT, AS112 (RFC 2928)
  '2001:db8::/32', // documentation (RFC 3849)
  '2002::/16', // 6to4: routes to the embedded IPv4 address (deprecated by RFC 7526)
  '2620:4f:8000::/48', // AS112 (RFC 7534)
  '3ffe::/16', // 6bone, returned to IANA (RFC 3701)
  '3fff::/20', // documentation (RFC 9637)
].map((range) => ipaddr.IPv6.parseCIDR(range));

/**
 * Returns true for a public unicast IP address that a tenant may use as a target (contract 6, "Targets"), and false
 * for private and reserved ranges and for anything that is not an IP address in canonical form.
 * @param address as returned by a DNS lookup or by `URL.hostname`
 */
export function isPublicAddress(address: string): boolean {
  // `isIP` comes first because ipaddr.js alone accepts short and octal forms.
  switch (isIP(address)) {
    case 4: {
      const parsed = ipaddr.IPv4.parse(address);
      return !BLOCKED_IPV4_RANGES.some((range) => parsed.match(range));
    }
    case 6: {
      const parsed = ipaddr.IPv6.parse(address);
      return (
        parsed.match(GLOBAL_UNICAST_IPV6_RANGE) && !BLOCKED_IPV6_RANGES.some((range) => parsed.match(range))
      );
    }
    default:
      return false;
  }
}

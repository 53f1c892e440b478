import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What the operator lets tenants reach (contract 2, `WEBHOOK_ALLOW_PRIVATE_TARGETS`). */
export interface AddressPolicy {
  /** Accepts `http:` and any address, private and loopback ones too: development, tests, the operator's own services. */
  allowPrivate: boolean;
}

/** Longest address that is stored, in characters (contract 4). */
const MAX_URL_LENGTH = 2048;

/** Everything of the IANA IPv4 special-purpose registry, multicast, class E, and addresses that clouds reserve. */
const REFUSED_V4 = [
  '0.0.0.0/8', // this network, unspecified (RFC 791)
  '10.0.0.0/8', // private (RFC 1918)
  '100.64.0.0/10', // carrier-grade NAT (RFC 6598); Alibaba Cloud's metadata is in it
  '127.0.0.0/8', // loopback (RFC 1122)
  '168.63.129.16/32', // Azure's wire server: a public number that is answered by the host of a virtual machine
  '169.254.0.0/16', // link-local (RFC 3927); the metadata of most clouds is in it
  '172.16.0.0/12', // private (RFC 1918)
  '192.0.0.0/24', // IETF protocol assignments (RFC 6890); Oracle Cloud's metadata is in it
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
  '240.0.0.0/4', // reserved, and the broadcast address at its end (RFC 1112, RFC 919)
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * The only part of IPv6 that is handed out as global unicast. Outside it are loopback, unique-local, link-local,
 * site-local and multicast addresses, and the forms that carry an IPv4 address: mapped, compatible, NAT64.
 */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** What the IANA registries take out of it again. */
const REFUSED_V6 = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarks, ORCHID, AMT, AS112 (RFC 2928)
  '2001:db8::/32', // documentation (RFC 3849)
  '2002::/16', // 6to4: leads to whatever IPv4 address is in it (RFC 7526 ends its use)
  '2620:4f:8000::/48', // AS112 (RFC 7534)
  '3ffe::/16', // the closed 6bone (RFC 3701)
  '3fff::/20', // documentation (RFC 9637)
].map((range) => ipaddr.IPv6.parseCIDR(range));

/** Names that a cloud answers its metadata at, and all below them: some resolve to public numbers. */
const METADATA_NAMES = [
  'api.metadata.cloud.ibm.com',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
];

/**
 * Whether an IP address, as a look-up or `URL.hostname` gives it, is a public unicast one that a tenant may
 * name as a target (contract 6, "Targets"). What is not an IP address in canonical form is none.
 */
export function isPublicAddress(address: string): boolean {
  // `isIP` goes first because ipaddr.js alone takes short and octal forms too.
  switch (isIP(address)) {
    case 4: {
      const parsed = ipaddr.IPv4.parse(address);
      return !REFUSED_V4.some((range) => parsed.match(range));
    }
    case 6: {
      const parsed = ipaddr.IPv6.parse(address);
      return parsed.match(GLOBAL_UNICAST_V6) && !REFUSED_V6.some((range) => parsed.match(range));
    }
    default:
      return false;
  }
}

const isUnder = (name: string, parent: string): boolean => name === parent || name.endsWith(`.${parent}`);

/** Whether a name stands for the machine itself, whatever a resolver says (RFC 6761 section 6.3). */
export const isLocalhost = (hostname: string): boolean =>
  isUnder(hostname.toLowerCase().replace(/\.$/, ''), 'localhost');

/**
 * Whether a host is refused by its spelling alone, before any look-up: a literal address that is not public,
 * `localhost`, the metadata names.
 * @param hostname of a parsed WHATWG URL, which has every spelling of an IPv4 address in its canonical form;
 * the brackets of an IPv6 address may be there or not.
 */
export function isRefusedHost(hostname: string): boolean {
  const name = hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (isIP(name) !== 0) return !isPublicAddress(name);
  return isLocalhost(name) || METADATA_NAMES.some((metadata) => isUnder(name, metadata));
}

/**
 * Checks a target when it is created or changed (contract 6, "Targets"). Names that resolve to a refused address
 * are not found out here but at delivery.
 * @returns a sentence that says what is wrong, or null.
 */
export function checkUrl(url: string, { allowPrivate }: AddressPolicy): string | null {
  if (url.length > MAX_URL_LENGTH) return `The address is longer than ${MAX_URL_LENGTH} characters.`;
  // The URL parser would drop or mend these silently, and another reader of the stored text would not.
  if (/[\s\p{Cc}\\]/u.test(url))
    return 'The address contains white space, control characters or a backslash.';
  const parsed = URL.parse(url);
  if (parsed === null) return 'The address is not a valid URL.';
  const schemes = allowPrivate ? ['https://', 'http://'] : ['https://'];
  if (!schemes.some((scheme) => url.toLowerCase().startsWith(scheme))) {
    return `The address must start with ${schemes.join(' or ')}.`;
  }
  // An empty user name leaves no trace in the parsed URL, so the text is looked at.
  if (/^\w+:\/+[^/?#]*@/.test(url)) return 'The address must not contain a user name or password.';
  if (parsed.port === '0') return 'The address must not name port 0.';
  if (/^\.|\.\./.test(parsed.hostname)) return 'The address does not contain a valid host name.';
  if (!allowPrivate && isRefusedHost(parsed.hostname)) {
    return 'The address must not lead to a private, local or reserved network.';
  }
  return null;
}

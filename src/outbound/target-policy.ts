import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { type AddressRange, parseAddress, withinRanges } from '../platform/address-ranges.ts';
import { MAX_URL } from '../shared/text-limits.ts';
import { isPublicAddress } from './private-address-ranges.ts';

/**
 * Policy for target addresses, set by the operator (contract 2, `WEBHOOK_ALLOW_PRIVATE_TARGETS` and
 * `WEBHOOK_ALLOWED_SUBNETS`).
 */
export interface TargetPolicy {
  /** Permits `http:` and all addresses, including private and loopback ones: development, tests, operator services. */
  allowPrivate: boolean;
  /** Permits these addresses, with `http:` as well; none by default. */
  allowedSubnets?: readonly AddressRange[];
  /** Ports that are blocked on every address; none by default. */
  blockedPorts?: ReadonlySet<number>;
}

/** Returns the port of a URL; `port` is empty for the default port of the protocol. */
export const portOf = ({ protocol, port }: { protocol: string; port: string }): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

/** Names of cloud metadata services, blocked together with their subdomains: some resolve to public addresses. */
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

/** Addresses of `localhost`. */
export const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Returns whether an address may be connected to. */
export type AddressCheck = (address: string) => boolean;

/** @param secure true for targets with `https:` */
export function addressCheck(
  { allowPrivate, allowedSubnets = [] }: TargetPolicy,
  secure: boolean,
): AddressCheck {
  if (allowPrivate) return () => true;
  const isInSubnet = withinRanges(allowedSubnets);
  return (address) => {
    if (secure && isPublicAddress(address)) return true;
    const parsed = parseAddress(address);
    return parsed !== null && isInSubnet(parsed);
  };
}

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const isAddress = (hostname: string): boolean => isIP(withoutBrackets(hostname)) !== 0;

const isWithin = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

/** Returns true for `localhost` names, which always resolve to loopback (RFC 6761 section 6.3). */
export const isLocalhost = (hostname: string): boolean =>
  isWithin(hostname.toLowerCase().replace(/\.$/, ''), 'localhost');

/**
 * Returns true for a host that is blocked by its spelling alone, without a DNS lookup: a literal address that is not
 * allowed, `localhost` unless one of its addresses is, or a metadata name.
 * @param hostname of a parsed WHATWG URL, which normalizes every spelling of an IPv4 address; the brackets of an IPv6
 *   address are optional
 */
export function isBlockedHost(hostname: string, isAllowed: AddressCheck): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const address = withoutBrackets(name);
  if (isIP(address) !== 0) return !isAllowed(address);
  if (isLocalhost(name)) return !LOOPBACK.some((loopback) => isAllowed(loopback.address));
  return METADATA_NAMES.some((metadata) => isWithin(name, metadata));
}

/** Label of a host name; underscores occur in practice. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Maximum length of a host name (RFC 1035). */
const MAX_HOST_LENGTH = 253;

/** Returns true if a host is an address or a name that can exist in DNS; the URL parser permits more. */
function isValidHost(hostname: string): boolean {
  if (isAddress(hostname)) return true;
  const name = hostname.replace(/\.$/, '');
  if (name.length > MAX_HOST_LENGTH || !name.split('.').every((label) => LABEL.test(label))) return false;
  // `domainToUnicode` leaves a label with invalid Punycode as it is.
  return !domainToUnicode(name)
    .split('.')
    .some((label) => label.startsWith('xn--'));
}

/**
 * Validates a target URL when it is created or changed (contract 6, "Targets"). A name that resolves to a blocked
 * address is detected at delivery only.
 * @returns the problem as a sentence; null if the URL is valid
 */
export function checkUrl(url: string, policy: TargetPolicy): string | null {
  const { allowPrivate, allowedSubnets = [], blockedPorts } = policy;
  const isPrivatePossible = allowPrivate || allowedSubnets.length > 0;
  if (url.length > MAX_URL) return `The address is longer than ${MAX_URL} characters.`;
  // The URL parser drops or repairs these silently; another parser of the stored text may not.
  if (/[\s\p{Cc}\\]/u.test(url))
    return 'The address contains white space, control characters or a backslash.';
  const parsed = URL.parse(url);
  if (parsed === null) return 'The address is not a valid URL.';
  const schemes = isPrivatePossible ? ['https://', 'http://'] : ['https://'];
  if (!schemes.some((scheme) => url.toLowerCase().startsWith(scheme))) {
    return `The address must start with ${schemes.join(' or ')}.`;
  }
  // Matches the text, because the parsed URL does not distinguish an empty user name from none.
  if (/^\w+:\/+[^/?#]*@/.test(url)) return 'The address must not contain a user name or password.';
  if (parsed.port === '0') return 'The address must not use port 0.';
  if (blockedPorts?.has(portOf(parsed)))
    return `The address must not use port ${portOf(parsed)}: the service sends no webhooks to it.`;
  if (!isValidHost(parsed.hostname)) return 'The address does not contain a valid host name.';
  const secure = parsed.protocol === 'https:';
  if (!allowPrivate && isBlockedHost(parsed.hostname, addressCheck(policy, secure))) {
    return secure || !isPublicAddress(withoutBrackets(parsed.hostname))
      ? 'The address must not point to a private, local or reserved network.'
      : 'The address must start with https://.';
  }
  if (
    !isPrivatePossible &&
    !parsed.hostname.replace(/\.$/, '').includes('.') &&
    !isAddress(parsed.hostname)
  ) {
    return 'The host name must have a domain, such as hooks.example.com.';
  }
  return null;
}

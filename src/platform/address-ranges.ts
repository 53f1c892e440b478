import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Network address and prefix length; never an IPv4 address in IPv6 notation. */
export type AddressRange = [Address, number];

/** Parses an address without port; IPv4 in IPv6 notation becomes IPv4. Returns null if it is not an address. */
export function parseAddress(text: string | undefined): Address | null {
  // ipaddr.js alone would accept `1` and `0x7f.1`.
  return text !== undefined && isIP(text) ? ipaddr.process(text) : null;
}

/** Parses an IP address or a CIDR range, which must not contain all addresses; returns the problem if it is none. */
export function parseAddressRange(entry: string): AddressRange | string {
  const [, host = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  if (!isIP(host)) return 'that is not an IP address or a CIDR range';
  const written = ipaddr.parse(host);
  const address = ipaddr.process(host);
  const writtenBits = 8 * written.toByteArray().length;
  const bits = 8 * address.toByteArray().length;
  const length = Number(prefix ?? writtenBits) - (writtenBits - bits);
  if (length > bits) return 'with a prefix that is longer than the address';
  return length <= 0 ? 'of all addresses' : [address, length];
}

/** Returns a predicate that is true for the addresses within any of the ranges. */
export const withinRanges =
  (ranges: readonly AddressRange[]) =>
  (address: Address): boolean =>
    ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));

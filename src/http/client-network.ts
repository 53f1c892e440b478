import ipaddr from 'ipaddr.js';

/** Returns the IPv4 address or the IPv6 /64, which one subscriber owns, as the unit of limits per client address. */
export function networkOf(address: string | undefined): string {
  const parsed = address && ipaddr.isValid(address) ? ipaddr.process(address) : null;
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : String(parsed);
}

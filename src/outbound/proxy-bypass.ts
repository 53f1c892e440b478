import { type AddressRange, parseAddress, withinRanges } from '../platform/address-ranges.ts';

/** An entry of `NO_PROXY`: targets that bypass the proxy. */
export interface BypassRule {
  /** Any host, a name with the names below it, or literal addresses. */
  hosts: '*' | { name: string } | { range: AddressRange };
  /** Null for any port. */
  port: number | null;
}

/** Returns true if a target bypasses the proxy. Names are not resolved for this. */
export type Bypass = (hostname: string, port: number) => boolean;

export function createBypass(rules: readonly BypassRule[]): Bypass {
  return (hostname, port) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const address = parseAddress(name);
    return rules.some((rule) => {
      if (rule.port !== null && rule.port !== port) return false;
      if (rule.hosts === '*') return true;
      if ('range' in rule.hosts) return address !== null && withinRanges([rule.hosts.range])(address);
      return name === rule.hosts.name || name.endsWith(`.${rule.hosts.name}`);
    });
  };
}

interface Somebody {
  visitorId: string;
  identity?: { firstName?: string | null; lastName?: string | null; email?: string | null } | null;
}

/** What to call a visitor: the name, else the address, else the id that the tenant gave. */
export function visitorName({ visitorId, identity }: Somebody): string {
  const name = [identity?.firstName, identity?.lastName].filter(Boolean).join(' ');
  return name || identity?.email || visitorId;
}

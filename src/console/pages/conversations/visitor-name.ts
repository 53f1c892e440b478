interface Visitor {
  visitorId: string;
  identity?: { firstName?: string | null; lastName?: string | null; email?: string | null } | null;
}

/** Returns first and last name; an empty string if the visitor has no resolved name. */
export const fullName = (identity: Visitor['identity']): string =>
  [identity?.firstName, identity?.lastName].filter(Boolean).join(' ');

/** Returns the visitor's full name, or else the email address, or else the visitor ID. */
export const visitorName = ({ visitorId, identity }: Visitor): string =>
  fullName(identity) || identity?.email || visitorId;

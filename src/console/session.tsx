import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { type Access, type Call, createCall } from './api/graphql-client.ts';
import type { KeyScope } from './generated/graphql.ts';

/** Who is signed in, and for whom. */
export interface Session {
  scope: KeyScope;
  /** The tenant that pages show; null: an admin has yet to choose one. */
  customerId: number | null;
  access: Access;
  call: Call;
  /** Whether the key may change what belongs to the tenant. */
  canWrite: boolean;
  isAdmin: boolean;
  actFor(customerId: number): void;
  signOut(): void;
}

/** What is kept for as long as the tab is open, and nowhere else. */
interface Kept {
  key: string;
  scope: KeyScope;
  customerId: number | null;
}

const STORE = 'engagement.session';

function readKept(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORE) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}

const SessionContext = createContext<Session | null>(null);

interface SessionProviderProps {
  /** Shown while nobody is signed in. */
  signIn: (begin: (kept: Kept) => void) => ReactNode;
  children: ReactNode;
}

/** Keeps the key in the tab's session storage: closing the tab signs out. */
export function SessionProvider({ signIn, children }: SessionProviderProps) {
  const [kept, setKept] = useState<Kept | null>(readKept);
  const queries = useQueryClient();

  const session = useMemo((): Session | null => {
    const keep = (next: Kept | null): void => {
      // What one key or tenant has seen is not for the next.
      queries.clear();
      if (next) sessionStorage.setItem(STORE, JSON.stringify(next));
      else sessionStorage.removeItem(STORE);
      setKept(next);
    };
    if (!kept) return null;
    const access: Access = { key: kept.key, customerId: kept.scope === 'admin' ? kept.customerId : null };
    const signOut = () => keep(null);
    return {
      scope: kept.scope,
      customerId: kept.customerId,
      access,
      call: createCall(access, signOut),
      canWrite: kept.scope !== 'read',
      isAdmin: kept.scope === 'admin',
      actFor: (customerId) => keep({ ...kept, customerId }),
      signOut,
    };
  }, [kept, queries]);

  if (!session) {
    return signIn((next) => {
      sessionStorage.setItem(STORE, JSON.stringify(next));
      setKept(next);
    });
  }
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** The session; pages are only there while there is one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no session here.');
  return session;
}

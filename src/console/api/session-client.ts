import type { KeyScope } from '../generated/graphql.ts';
import { sendRequest } from './graphql-client.ts';

const SESSION_URL = `${import.meta.env.BASE_URL}session`;

/** The session that the browser has in a cookie, which scripts cannot read. */
export interface SessionInfo {
  /** ID of the API key that the session was started with. */
  keyId: string;
  scope: KeyScope;
  /** Tenant of the key; null for an admin key. */
  customerId: number | null;
  /** ISO 8601; no two sessions of a browser have the same. */
  expiresAt: string;
}

/** Exchanges an API key for a session of this browser. @throws ApiError */
export const startSession = (key: string): Promise<SessionInfo> =>
  sendRequest<SessionInfo>(SESSION_URL, { method: 'POST', headers: { authorization: `Bearer ${key}` } });

/** Ends the session in all tabs of this browser. @throws ApiError */
export const endSession = (): Promise<unknown> => sendRequest(SESSION_URL, { method: 'DELETE' });

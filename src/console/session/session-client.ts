import { type RequestOptions, sendRequest } from '../api/graphql-client.ts';
import type { KeyScope } from '../generated/graphql.ts';

const SESSION_URL = `${import.meta.env.BASE_URL}session`;
const SESSIONS_URL = `${import.meta.env.BASE_URL}sessions`;

/** The browser's session; scripts cannot read its cookie. */
export interface SessionInfo {
  /** ID of the API key that the session was started with. */
  keyId: string;
  scope: KeyScope;
  /** Customer of the key; null for an admin key. */
  customerId: number | null;
  /** Resources that the key is limited to; null if it is not limited. A change of them ends the session. */
  resources: readonly string[] | null;
  /** ISO 8601; no two sessions of a browser have the same. */
  expiresAt: string;
}

const sendSessionRequest = <T extends object>(url: string, options: RequestOptions): Promise<T> =>
  sendRequest<T>(url, { customerId: null }, options);

/** Exchanges an API key for a session of this browser. @throws ApiError */
export const startSession = (key: string): Promise<SessionInfo> =>
  sendSessionRequest<SessionInfo>(SESSION_URL, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });

/** Ends the session in all tabs of this browser. @throws ApiError */
export const endSession = (): Promise<unknown> => sendSessionRequest(SESSION_URL, { method: 'DELETE' });

/** Ends all sessions of the API key of the session, in all browsers. @throws ApiError */
export const endAllSessions = (): Promise<unknown> => sendSessionRequest(SESSIONS_URL, { method: 'DELETE' });

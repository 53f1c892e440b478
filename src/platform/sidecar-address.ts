export interface SidecarAddress {
  /** Base URL without a trailing slash. */
  url: string;
  /** Bearer token that the sidecar requires (`ML_SIDECAR_TOKEN`); null if it requires none. */
  token: string | null;
}

/** Model of a request that names none. */
export const DEFAULT_MODEL = 'default';

/** Returns the headers that authenticate a request to the sidecar. */
export const sidecarAuthorization = ({ token }: Pick<SidecarAddress, 'token'>): { authorization?: string } =>
  token === null ? {} : { authorization: `Bearer ${token}` };

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ErrorDetail } from '../../../errors/app-error.ts';
import { OUTBOUND_CIPHERS } from '../../../outbound/checked-connector.ts';
import { MASK } from './custom-headers.ts';

/** How the service authenticates itself to a receiver, besides its signatures (contract 5 and 6). */

export const CLIENT_AUTHENTICATIONS = ['client_secret_basic', 'client_secret_post'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** The client credentials grant of OAuth 2.0, without its secret. */
interface OAuth2Settings {
  tokenUrl: string;
  clientId: string;
  scope: string | null;
  audience: string | null;
  clientAuthentication: ClientAuthentication;
}

export interface OAuth2Credentials extends OAuth2Settings {
  clientSecret: string;
}

interface MtlsSettings {
  /** End of the validity of the certificate. */
  certificateExpiresAt: Date;
  /** Distinguished name of the certificate's subject. */
  certificateSubject: string;
}

/** PEM texts. */
export interface MtlsCredentials {
  /** The certificate, followed by its intermediate certificates, if any. */
  certificate: string;
  privateKey: string;
  /** Certificates that the receiver's must be issued by; null for the public authorities that Node.js trusts. */
  ca: string | null;
}

/** Authentication as answers show it; exactly one member is not null. */
export interface Authentication {
  oauth2: OAuth2Settings | null;
  mtls: MtlsSettings | null;
}

/** Authentication as it is stored: what answers show, and the secrets. */
export type StoredAuthentication = Authentication & {
  /** `clientSecret`, or `MtlsCredentials` as JSON; encrypted and bound to the endpoint. */
  secret: string;
};

/** Decrypted authentication. */
export type AuthenticationCredentials = { oauth2: OAuth2Credentials } | { mtls: MtlsCredentials };

export interface AuthenticationInput {
  oauth2?: {
    tokenUrl: string;
    clientId: string;
    /** Omitted or masked in a PATCH, the stored one stays if `tokenUrl` and `clientId` do. */
    clientSecret?: string | null;
    scope?: string | null;
    audience?: string | null;
    clientAuthentication?: ClientAuthentication | null;
  } | null;
  mtls?: { certificate: string; privateKey: string; ca?: string | null } | null;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** @throws Error if the text has no certificate, or one that cannot be parsed */
const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text));

const parsed = <T>(parse: () => T): T | null => {
  try {
    return parse();
  } catch {
    return null;
  }
};

const PATH = 'authentication';

interface Context {
  /** Authentication before the change; null if there is none or it is not known. */
  stored: StoredAuthentication | null | undefined;
  /** Returns what is wrong with a URL; null if it is allowed. */
  checkUrl: (url: string) => string | null;
  now: Date;
}

/** Returns what is wrong with an authentication. */
export function authenticationIssues(input: AuthenticationInput, context: Context): ErrorDetail[] {
  const { oauth2, mtls } = input;
  if (oauth2 && mtls) return [{ path: PATH, message: 'Must have either oauth2 or mtls.' }];
  if (oauth2) return oauth2Issues(oauth2, context);
  if (mtls) return mtlsIssues(mtls, context);
  return [{ path: PATH, message: 'Must have oauth2 or mtls, or be null.' }];
}

/** Returns whether the stored client secret applies to the input. A secret is not sent to another server. */
const keepsSecret = (
  { clientSecret, tokenUrl, clientId }: NonNullable<AuthenticationInput['oauth2']>,
  stored: Context['stored'],
): boolean =>
  (clientSecret == null || clientSecret === MASK) &&
  stored?.oauth2?.tokenUrl === tokenUrl &&
  stored.oauth2.clientId === clientId;

function oauth2Issues(
  oauth2: NonNullable<AuthenticationInput['oauth2']>,
  { stored, checkUrl }: Context,
): ErrorDetail[] {
  const problem = checkUrl(oauth2.tokenUrl);
  const isMissing = oauth2.clientSecret == null || oauth2.clientSecret === MASK;
  return [
    ...(problem === null ? [] : [{ path: `${PATH}.oauth2.tokenUrl`, message: problem }]),
    ...(!isMissing || keepsSecret(oauth2, stored)
      ? []
      : [
          {
            path: `${PATH}.oauth2.clientSecret`,
            message: `Is required: a stored secret is kept only while tokenUrl and clientId stay the same.`,
          },
        ]),
  ];
}

/** Longest RSA key, in bits: each handshake signs with it on the event loop, a key of 16,384 bits for 0.3 s. */
const MAX_RSA_BITS = 4_096;

const isUsable = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType === 'rsa'
    ? (asymmetricKeyDetails?.modulusLength ?? 0) <= MAX_RSA_BITS
    : asymmetricKeyType === 'ec' || asymmetricKeyType === 'ed25519';

function mtlsIssues(
  { certificate, privateKey, ca = null }: NonNullable<AuthenticationInput['mtls']>,
  { now }: Context,
): ErrorDetail[] {
  const issue = (field: string, message: string) => ({ path: `${PATH}.mtls.${field}`, message });
  const leaf = parsed(() => certificatesIn(certificate)[0]) ?? null;
  const key: KeyObject | null = parsed(() => createPrivateKey(privateKey));
  const issues: ErrorDetail[] = [];
  if (!leaf) issues.push(issue('certificate', 'Must be a certificate in PEM: -----BEGIN CERTIFICATE-----.'));
  if (!key) issues.push(issue('privateKey', 'Must be a private key in PEM, without a passphrase.'));
  else if (!isUsable(key))
    issues.push(
      issue('privateKey', 'Must be an RSA key of at most 4,096 bits, an EC key or an Ed25519 key.'),
    );
  if (ca !== null && !parsed(() => certificatesIn(ca)[0]))
    issues.push(issue('ca', 'Must be one or more certificates in PEM: -----BEGIN CERTIFICATE-----.'));
  if (leaf && leaf.validToDate <= now)
    issues.push(
      issue('certificate', `Must not be expired: it was valid until ${leaf.validToDate.toISOString()}.`),
    );
  if (leaf && key && !leaf.checkPrivateKey(key))
    issues.push(issue('privateKey', 'Must be the key of the certificate.'));
  // What OpenSSL refuses to use, such as a key that is too short.
  if (issues.length === 0 && !parsed(() => secureContextOf({ certificate, privateKey, ca })))
    issues.push(
      issue(
        'certificate',
        'Must be a certificate and a key that TLS accepts; use RSA of 2,048 bits or more, or a NIST curve.',
      ),
    );
  return issues;
}

/** @throws Error if OpenSSL does not accept a certificate or the key */
export const secureContextOf = ({ certificate, privateKey, ca }: MtlsCredentials) =>
  createSecureContext({
    cert: certificate,
    key: privateKey,
    ciphers: OUTBOUND_CIPHERS,
    ...(ca !== null && { ca }),
  });

/** Returns the parts of a valid authentication to store, and its secrets; those are null if the stored ones stay. */
export function splitAuthentication(
  { oauth2, mtls }: AuthenticationInput,
  stored: Context['stored'],
): { shown: Authentication; secret: string | null } {
  if (oauth2) {
    const { tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication } = oauth2;
    return {
      shown: {
        oauth2: {
          tokenUrl,
          clientId,
          scope: scope ?? null,
          audience: audience ?? null,
          clientAuthentication: clientAuthentication ?? 'client_secret_basic',
        },
        mtls: null,
      },
      secret: keepsSecret(oauth2, stored) ? null : (clientSecret ?? ''),
    };
  }
  if (!mtls) throw new Error('An authentication without a method has issues.');
  const { certificate, privateKey, ca = null } = mtls;
  const [leaf] = certificatesIn(certificate);
  if (!leaf) throw new Error('A certificate that cannot be parsed has issues.');
  return {
    shown: {
      oauth2: null,
      mtls: {
        certificateExpiresAt: leaf.validToDate,
        // One line: the parts are separated by line breaks.
        certificateSubject: (leaf.subject ?? '').replaceAll('\n', ', '),
      },
    },
    secret: JSON.stringify({ certificate, privateKey, ca } satisfies MtlsCredentials),
  };
}

/** Joins stored authentication with its decrypted secrets. */
export const authenticationCredentials = (
  { oauth2 }: StoredAuthentication,
  secret: string,
): AuthenticationCredentials =>
  oauth2 ? { oauth2: { ...oauth2, clientSecret: secret } } : { mtls: JSON.parse(secret) as MtlsCredentials };

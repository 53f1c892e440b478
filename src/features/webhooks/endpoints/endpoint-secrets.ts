import { type Cipher, CipherError } from '../../../platform/cipher.ts';
import {
  newKeyPair,
  newSecret,
  readPrivateKey,
  type SigningKey,
  type SigningKeys,
} from '../signature/sign.ts';
import { type AuthenticationCredentials, authenticationCredentials } from './authentication.ts';
import type { CustomHeaders } from './custom-headers.ts';
import type { EndpointDoc, StoredHeaders, StoredSigningKey } from './endpoint.model.ts';
import type { Signing } from './endpoint.types.ts';

type EndpointIdentity = Pick<EndpointDoc, 'customerId' | 'id'>;
type EncryptedDoc = EndpointIdentity &
  StoredSigningKey &
  Pick<EndpointDoc, 'previous' | 'headers' | 'authentication'>;

interface EncryptedField {
  read: (endpoint: EncryptedDoc) => string | null | undefined;
  /** What the ciphertext is bound to besides tenant and endpoint. A rotation moves values to `previous` as they are. */
  binding: string;
}

/** Every encrypted value of an endpoint, by its path in the document. */
const ENCRYPTED = {
  secret: { read: ({ secret }) => secret, binding: '' },
  privateKey: { read: ({ privateKey }) => privateKey, binding: ':privateKey' },
  'headers.values': { read: ({ headers }) => headers?.values, binding: ':headers' },
  'authentication.secret': {
    read: ({ authentication }) => authentication?.secret,
    binding: ':authentication',
  },
  'previous.secret': { read: ({ previous }) => previous?.secret, binding: '' },
  'previous.privateKey': { read: ({ previous }) => previous?.privateKey, binding: ':privateKey' },
} as const satisfies Record<string, EncryptedField>;

type EncryptedPath = keyof typeof ENCRYPTED;

export const ENCRYPTED_PATHS = Object.keys(ENCRYPTED) as EncryptedPath[];

/** A ciphertext of an endpoint. */
export interface EncryptedValue {
  endpoint: EndpointIdentity;
  path: EncryptedPath;
  ciphertext: string;
}

/** Returns the encrypted values that an endpoint has. */
export const encryptedValues = (endpoint: EncryptedDoc): EncryptedValue[] =>
  ENCRYPTED_PATHS.flatMap((path) => {
    const ciphertext = ENCRYPTED[path].read(endpoint);
    return ciphertext ? [{ endpoint, path, ciphertext }] : [];
  });

/** Returns the owner that an encrypted value is bound to. */
const ownerOf = ({ customerId, id }: EndpointIdentity, path: EncryptedPath): string =>
  `endpoint:${customerId}:${id}${ENCRYPTED[path].binding}`;

/** Returns the owner in secrets of earlier builds, which named no tenant; `secrets rotate` replaces it. */
const formerOwnerOf = ({ id }: EndpointIdentity): string => `endpoint:${id}`;

/** Decrypts a value. @throws CipherError */
export function decryptValue(cipher: Cipher, { endpoint, path, ciphertext }: EncryptedValue) {
  try {
    return { plain: cipher.decrypt(ciphertext, ownerOf(endpoint, path)), isBoundToTenant: true };
  } catch (error) {
    if (!(error instanceof CipherError) || error.reason !== 'not_authentic') throw error;
    return { plain: cipher.decrypt(ciphertext, formerOwnerOf(endpoint)), isBoundToTenant: false };
  }
}

/** What the deliveries of an endpoint are sent with, decrypted. */
export interface EndpointCredentials {
  signing: SigningKeys;
  headers: CustomHeaders;
  /** Null if the receiver needs none. */
  authentication: AuthenticationCredentials | null;
}

/** The secrets of endpoints, encrypted and bound to their tenant and endpoint. */
export function createEndpointSecrets(cipher: Cipher) {
  /** By the document that the endpoint cache holds: a change replaces the document. */
  const decrypted = new WeakMap<EncryptedDoc, EndpointCredentials>();

  const encrypt = (endpoint: EndpointIdentity, path: EncryptedPath, plain: string): string =>
    cipher.encrypt(plain, ownerOf(endpoint, path));

  function decrypt(endpoint: EncryptedDoc): EndpointCredentials {
    const values = new Map(
      encryptedValues(endpoint).map((value) => [value.path, decryptValue(cipher, value).plain]),
    );
    const keyOf = (secret: EncryptedPath, privateKey: EncryptedPath): SigningKey => {
      const ed25519 = values.get(privateKey);
      return { secret: values.get(secret) ?? '', privateKey: ed25519 ? readPrivateKey(ed25519) : null };
    };
    const { previous, headers, authentication } = endpoint;
    const headerValues = JSON.parse(values.get('headers.values') ?? '[]') as string[];
    return {
      headers: Object.fromEntries(headers?.names.map((name, i) => [name, headerValues[i] ?? '']) ?? []),
      authentication: authentication
        ? authenticationCredentials(authentication, values.get('authentication.secret') ?? '')
        : null,
      signing: {
        ...keyOf('secret', 'privateKey'),
        previous: previous
          ? { ...keyOf('previous.secret', 'previous.privateKey'), until: previous.until }
          : null,
      },
    };
  }

  /** Returns the stored form of a new Ed25519 key pair; of none for `hmac`. */
  function keyPair(
    endpoint: EndpointIdentity,
    signing: Signing,
  ): Pick<StoredSigningKey, 'privateKey' | 'publicKey'> {
    if (signing === 'hmac') return { privateKey: null, publicKey: null };
    const { privateKey, publicKey } = newKeyPair();
    return { privateKey: encrypt(endpoint, 'privateKey', privateKey), publicKey };
  }

  return {
    /** Returns a new secret and the stored form of a new key, which has a key pair if `signing` is `ed25519`. */
    issue(endpoint: EndpointIdentity, signing: Signing): { secret: string; stored: StoredSigningKey } {
      const secret = newSecret();
      const stored = { secret: encrypt(endpoint, 'secret', secret) };
      return { secret, stored: signing === 'hmac' ? stored : { ...stored, ...keyPair(endpoint, signing) } };
    },
    keyPair,
    /** Returns the stored form of custom headers; null for none. */
    encryptHeaders(endpoint: EndpointIdentity, headers: CustomHeaders): StoredHeaders | null {
      const names = Object.keys(headers);
      const values = () => encrypt(endpoint, 'headers.values', JSON.stringify(Object.values(headers)));
      return names.length === 0 ? null : { names, values: values() };
    },
    encryptAuthentication: (endpoint: EndpointIdentity, secret: string): string =>
      encrypt(endpoint, 'authentication.secret', secret),
    /** Decrypts the credentials of an endpoint. @throws CipherError */
    credentialsOf(endpoint: EncryptedDoc): EndpointCredentials {
      const known = decrypted.get(endpoint);
      if (known) return known;
      const credentials = decrypt(endpoint);
      decrypted.set(endpoint, credentials);
      return credentials;
    },
    /** Returns a value encrypted under the newest key and bound to its tenant; null if it already is. @throws CipherError */
    reencrypt(value: EncryptedValue): string | null {
      const { plain, isBoundToTenant } = decryptValue(cipher, value);
      if (isBoundToTenant && cipher.keyIdOf(value.ciphertext) === cipher.primaryKeyId) return null;
      return encrypt(value.endpoint, value.path, plain);
    },
  };
}

export type EndpointSecrets = ReturnType<typeof createEndpointSecrets>;

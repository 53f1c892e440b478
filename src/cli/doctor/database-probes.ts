import type { Connection } from 'mongoose';
import type { ConnectionDoc } from '../../features/meetings/connection/connection.model.ts';
import { hookSecretOwner, keyOwner } from '../../features/meetings/connection/connection-secrets.ts';
import {
  decryptValue,
  ENCRYPTED_PATHS,
  encryptedValues,
} from '../../features/webhooks/endpoints/endpoint-secrets.ts';
import { failedJobs, lastJobRun } from '../../jobs/job-runs.ts';
import type { Cipher } from '../../platform/cipher.ts';
import { isAuthenticated } from '../../platform/mongo/authentication.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import { type ServerVulnerability, serverVulnerability } from '../../platform/mongo/server-vulnerability.ts';

type StoredEndpoint = Parameters<typeof encryptedValues>[0];
type StoredConnection = Pick<ConnectionDoc, '_id' | 'encryptedApiKey' | 'encryptedHookSecret'>;

/** Time limit for a majority to acknowledge the test write. */
const WRITE_TIMEOUT_MS = 5000;

export interface StoredSecret {
  /** Names the endpoint or the customer, for messages. */
  owner: string;
  ciphertext: string;
  /** @throws CipherError */
  decrypt(cipher: Cipher): unknown;
}

/** A secret whose ciphertext is bound to its owner. */
const boundSecret = (owner: string, ciphertext: string): StoredSecret => ({
  owner,
  ciphertext,
  decrypt: (cipher) => cipher.decrypt(ciphertext, owner),
});

/** Read-only queries of the doctor. */
export interface DoctorProbes {
  hello(): Promise<{ replicaSet: string | null; sharded: boolean; version: string; localTime: Date }>;
  /** Returns true if the service has authenticated with the database. */
  authenticated(): Promise<boolean>;
  /** Returns null if the server has the fix of CVE-2025-14847. */
  vulnerability(): Promise<ServerVulnerability | null>;
  /** Runs an update that matches nothing, with the write concern of the service. */
  durableWrite(): Promise<void>;
  /** Commits a transaction that changes nothing. */
  transaction(): Promise<void>;
  /** Returns the missing indexes as `collection {key}`. */
  missingIndexes(): Promise<string[]>;
  /** Returns a random sample of the stored secrets. @param limit maximum per collection */
  storedSecrets(limit: number): Promise<StoredSecret[]>;
  /** Returns the end of the latest run of any job, null if none has run, and the jobs whose last run failed. */
  jobs(): Promise<{ lastRunAt: Date | null; failed: { name: string; reason: string }[] }>;
}

/** @param connection with all models registered */
export function mongoProbes(connection: Connection): DoctorProbes {
  const db = connection.getClient().db(connection.name);
  const collection = db.collection<{ _id: string }>('doctor');
  const noMatch = { _id: 'no document has this id' };

  return {
    async hello() {
      const [hello, build] = await Promise.all([db.command({ hello: 1 }), db.command({ buildInfo: 1 })]);
      return {
        replicaSet: hello.setName ?? null,
        sharded: hello.msg === 'isdbgrid',
        version: String(build.version),
        localTime: hello.localTime,
      };
    },

    authenticated: () => isAuthenticated(connection),

    vulnerability: () => serverVulnerability(connection),

    async durableWrite() {
      const writeConcern = { ...db.writeConcern, wtimeoutMS: WRITE_TIMEOUT_MS };
      await collection.updateOne(noMatch, { $set: { at: null } }, { writeConcern });
    },

    async transaction() {
      await connection.getClient().withSession((session) =>
        session.withTransaction(async () => {
          await collection.findOne(noMatch, { session });
          await collection.updateOne(noMatch, { $set: { at: null } }, { session });
        }),
      );
    },

    async missingIndexes() {
      const missing = await Promise.all(
        Object.values(connection.models).map(async (model) => {
          const { toCreate } = await model.diffIndexes({ indexOptionsToCreate: false });
          return toCreate.map((key) => `${model.collection.collectionName} ${JSON.stringify(key)}`);
        }),
      );
      return missing.flat();
    },

    async storedSecrets(limit) {
      // Loaded here: the command line must not load the database driver before a command runs.
      const { modelsOf } = await import('../../database/models.ts');
      const models = modelsOf(connection);
      const endpoints = await rawReads(models.Endpoint)
        .aggregate<StoredEndpoint>([
          { $sample: { size: limit } },
          { $project: Object.fromEntries(['id', 'customerId', ...ENCRYPTED_PATHS].map((path) => [path, 1])) },
        ])
        .toArray();
      const connections = await rawReads(models.ProviderConnection)
        .aggregate<StoredConnection>([
          { $sample: { size: limit } },
          { $project: { encryptedApiKey: 1, encryptedHookSecret: 1 } },
        ])
        .toArray();
      return [
        ...endpoints.flatMap(encryptedValues).map((value) => ({
          owner: `endpoint:${value.endpoint.id}`,
          ciphertext: value.ciphertext,
          decrypt: (cipher: Cipher) => decryptValue(cipher, value),
        })),
        ...connections.flatMap(({ _id: customerId, encryptedApiKey, encryptedHookSecret }) => [
          boundSecret(keyOwner({ customerId }), encryptedApiKey),
          ...(encryptedHookSecret === undefined
            ? []
            : [boundSecret(hookSecretOwner({ customerId }), encryptedHookSecret)]),
        ]),
      ];
    },

    async jobs() {
      const [lastRunAt, failed] = await Promise.all([lastJobRun(connection), failedJobs(connection)]);
      return { lastRunAt, failed };
    },
  };
}

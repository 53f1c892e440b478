import type { Connection } from 'mongoose';
import { keyOwner } from '../../features/meetings/keys.ts';
import { secretOwner } from '../../features/webhooks/endpoints/endpoint-secrets.ts';

/** A write that is not on disk on a majority by then counts as failed. Milliseconds. */
const WRITE_TIMEOUT_MS = 5000;

/** A stored secret, and what it was sealed for. */
export interface StoredSecret {
  owner: string;
  sealed: string;
}

/** What the doctor asks of a database. Nothing of it changes anything. */
export interface DoctorProbes {
  hello(): Promise<{ replicaSet: string | null; sharded: boolean; version: string; localTime: Date }>;
  /** A write that matches nothing, waited for as every write of the service is. */
  durableWrite(): Promise<void>;
  /** A transaction that reads and writes nothing, committed. */
  transaction(): Promise<void>;
  /** Indexes that the service wants and the database lacks, as `collection: { key }`. */
  missingIndexes(): Promise<string[]>;
  /** Some stored secrets, picked at random. */
  storedSecrets(limit: number): Promise<StoredSecret[]>;
  /** When the latest job started, and which jobs ended with an error when they last ran. */
  jobs(): Promise<{ lastRunAt: Date | null; failed: { name: string; reason: string }[] }>;
}

interface JobDoc {
  name: string;
  lastRunAt?: Date | null;
  lastFinishedAt?: Date | null;
  failedAt?: Date | null;
  failReason?: string | null;
}

/** The probes over a connection on which the models are registered. */
export function mongoProbes(connection: Connection): DoctorProbes {
  const db = connection.getClient().db(connection.name);
  const nothing = db.collection<{ _id: string }>('doctor');
  const noMatch = { _id: 'nothing has this id' };

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

    async durableWrite() {
      const writeConcern = { ...db.writeConcern, wtimeoutMS: WRITE_TIMEOUT_MS };
      await nothing.updateOne(noMatch, { $set: { at: null } }, { writeConcern });
    },

    async transaction() {
      await connection.getClient().withSession((session) =>
        session.withTransaction(async () => {
          await nothing.findOne(noMatch, { session });
          await nothing.updateOne(noMatch, { $set: { at: null } }, { session });
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
      const endpoints = await db
        .collection<{ id: number; secret: string }>('webhookEndpoints')
        .aggregate<{ id: number; secret: string }>([
          { $sample: { size: limit } },
          { $project: { id: 1, secret: 1 } },
        ])
        .toArray();
      const providerKeys = await db
        .collection<{ _id: number; encryptedApiKey: string }>('recorderConnections')
        .aggregate<{ _id: number; encryptedApiKey: string }>([
          { $sample: { size: limit } },
          { $project: { encryptedApiKey: 1 } },
        ])
        .toArray();
      return [
        ...endpoints.map(({ id, secret }) => ({ owner: secretOwner(id), sealed: secret })),
        ...providerKeys.map(({ _id, encryptedApiKey }) => ({
          owner: keyOwner({ customerId: _id }),
          sealed: encryptedApiKey,
        })),
      ];
    },

    async jobs() {
      const jobs = await db.collection<JobDoc>('agendaJobs').find().toArray();
      const runs = jobs.flatMap(({ lastRunAt }) => (lastRunAt ? [lastRunAt.getTime()] : []));
      const failed = jobs.flatMap(({ name, failedAt, lastRunAt, failReason }) =>
        failedAt && lastRunAt && failedAt >= lastRunAt
          ? [{ name, reason: failReason ?? 'no reason given' }]
          : [],
      );
      return { lastRunAt: runs.length > 0 ? new Date(Math.max(...runs)) : null, failed };
    },
  };
}

import type { ApiKey } from '../../features/tenants/tenants.types.ts';
import type { Cipher } from '../../platform/cipher.ts';
import { stateOf } from '../key-list.ts';
import { moment } from '../output.ts';
import { check, type Finding, fail, ok, warn } from './findings.ts';
import type { DoctorProbes } from './probes.ts';

/** Stored secrets that are opened. */
const SECRETS = 50;
/** Leases run out after 30 s: clocks further apart than that would take work from a living process. */
const SKEW_FAIL_MS = 30_000;
const SKEW_WARN_MS = 1000;
/** Jobs run every second; after this long without one no worker is there. */
const JOBS_LATE_MS = 60_000;

/** Reachable, and with transactions and change streams. */
export const checkTopology = (probes: DoctorProbes): Promise<Finding> =>
  check(
    'database',
    'Check that MONGODB_URI names a running database, and that it may be reached from here.',
    async () => {
      const start = performance.now();
      const { replicaSet, sharded, version } = await probes.hello();
      const latency = `MongoDB ${version}, ${Math.round(performance.now() - start)} ms`;
      if (replicaSet) return ok('database', `replica set ${replicaSet}, ${latency}`);
      if (sharded) return ok('database', `sharded cluster, ${latency}`);
      return fail(
        'database',
        `a stand-alone server, ${latency}`,
        'Make it a replica set (rs.initiate()); one member is enough.',
      );
    },
  );

export const checkTransactions = (probes: DoctorProbes): Promise<Finding> =>
  check(
    'transactions',
    'Make the database a replica set or a sharded cluster, and give its user the role readWrite.',
    async () => {
      await probes.transaction();
      return ok('transactions', 'one was committed');
    },
  );

export const checkWriteConcern = (probes: DoctorProbes): Promise<Finding> =>
  check(
    'write concern',
    'Bring back the members of the replica set that are down: a majority has to confirm each write.',
    async () => {
      const start = performance.now();
      await probes.durableWrite();
      return ok(
        'write concern',
        `a majority confirmed a journaled write in ${Math.round(performance.now() - start)} ms`,
      );
    },
  );

/** How far the clocks of this machine and of the database are apart, beyond what the round trip explains. */
export const checkClock = (probes: DoctorProbes, now: () => number = Date.now): Promise<Finding> =>
  check('clock', 'Check the connection to the database.', async () => {
    const asked = now();
    const { localTime } = await probes.hello();
    const answered = now();
    const theirs = localTime.getTime();
    const skew = theirs < asked ? asked - theirs : Math.max(0, theirs - answered);
    const message = `${skew} ms from the database's clock`;
    const action = 'Let both machines keep time by NTP.';
    if (skew >= SKEW_FAIL_MS) return fail('clock', message, action);
    return skew >= SKEW_WARN_MS ? warn('clock', message, action) : ok('clock', message);
  });

export const checkIndexes = (probes: DoctorProbes): Promise<Finding> =>
  check('indexes', 'Give the database user the right to list indexes.', async () => {
    const missing = await probes.missingIndexes();
    if (missing.length === 0) return ok('indexes', 'all present');
    return fail('indexes', `missing: ${missing.join('; ')}`, 'Start the service once: it makes them.');
  });

/** Whether the encryption keys open what is stored, and whether any of it waits for `secrets rotate`. */
export const checkSecrets = (probes: DoctorProbes, cipher: Cipher): Promise<Finding> =>
  check('encryption', 'Check the connection to the database.', async () => {
    const secrets = await probes.storedSecrets(SECRETS);
    const failures = secrets.flatMap(({ owner, sealed }) => {
      try {
        cipher.decrypt(sealed, owner);
        return [];
      } catch (error) {
        return [`${owner}: ${error instanceof Error ? error.message.replace(/\.$/, '') : error}`];
      }
    });
    const [first] = failures;
    if (first) {
      const message = `${failures.length} of ${secrets.length} stored secrets cannot be read (${first})`;
      return fail(
        'encryption',
        message,
        'Add the key that they were stored under to CONNECTOR_ENCRYPTION_KEY, behind a comma.',
      );
    }
    const stale = secrets.filter(({ sealed }) => cipher.keyIdOf(sealed) !== cipher.primaryKeyId);
    const message = `key ${cipher.primaryKeyId}; ${secrets.length} stored secrets read`;
    if (stale.length === 0) return ok('encryption', message);
    return warn(
      'encryption',
      `${message}, ${stale.length} of them under an older key`,
      'Run secrets rotate before you remove the older key.',
    );
  });

/** Whether somebody can administer the service, and which keys are of no use any more. */
export const checkKeys = (load: () => Promise<ApiKey[]>, now: Date): Promise<Finding> =>
  check('keys', 'Check the connection to the database.', async () => {
    const keys = await load();
    const active = keys.filter((key) => stateOf(key, now) === 'active');
    const admins = active.filter((key) => key.scope === 'admin').length;
    const expired = keys.filter((key) => stateOf(key, now) === 'expired').length;
    const message = `${active.length} active, ${admins} of them admin; ${expired} expired`;
    if (admins === 0) return warn('keys', message, 'Make an admin key: key create --scope admin.');
    if (expired > 0)
      return warn('keys', message, 'Replace the expired keys that are still in use (key list, key create).');
    return ok('keys', message);
  });

export const checkJobs = (probes: DoctorProbes, now: Date): Promise<Finding> =>
  check('jobs', 'Check the connection to the database.', async () => {
    const { lastRunAt, failed } = await probes.jobs();
    const start = 'Start a process with ROLE=worker or ROLE=all.';
    if (!lastRunAt) return warn('jobs', 'none has run yet', start);
    const message = `last run ${moment(lastRunAt)}`;
    const [first] = failed;
    if (first) {
      return warn(
        'jobs',
        `${message}; ${failed.length} ended with an error (${first.name}: ${first.reason})`,
        'Look into the log of the worker.',
      );
    }
    return now.getTime() - lastRunAt.getTime() > JOBS_LATE_MS
      ? warn('jobs', message, start)
      : ok('jobs', message);
  });

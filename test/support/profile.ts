import type { mongo } from 'mongoose';
import { onTestFinished } from 'vitest';

/** Records the commands on a database until the test ends the profile or finishes, from an empty profile. */
export async function startProfile(db: mongo.Db | undefined) {
  if (!db) throw new Error('The connection has no database.');
  const stop = () => db.command({ profile: 0 });
  // A failed try may have left its profile, and the collection cannot be dropped while the profile is on.
  await stop();
  await db.collection('system.profile').drop();
  onTestFinished(async () => void (await stop()));
  await db.command({ profile: 2 });
  return {
    /** Ends the profile, and returns the collection of the recorded commands. */
    async end(): Promise<mongo.Collection> {
      await stop();
      return db.collection('system.profile');
    },
  };
}

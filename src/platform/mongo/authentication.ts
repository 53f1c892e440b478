import type { Connection } from 'mongoose';

/** Returns true if the connection is authenticated; false also if the database has authentication disabled. */
export async function isAuthenticated(connection: Connection): Promise<boolean> {
  const { authInfo } = await connection.getClient().db('admin').command({ connectionStatus: 1 });
  return authInfo.authenticatedUsers.length > 0;
}

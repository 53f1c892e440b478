import type { Connection } from 'mongoose';

/** Returns whether the connection is that of an authenticated user; without one, the database lets everyone in. */
export async function isAuthenticated(connection: Connection): Promise<boolean> {
  const { authInfo } = await connection.getClient().db('admin').command({ connectionStatus: 1 });
  return authInfo.authenticatedUsers.length > 0;
}

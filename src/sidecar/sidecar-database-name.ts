/** Returns the name of the reference sidecar's database. */
export const sidecarDatabaseName = (serviceDatabase: string): string => `${serviceDatabase}_ml`;

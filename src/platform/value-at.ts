/** Returns the value at a path such as `identity.email`; undefined or null if there is none. */
export const valueAt = (from: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], from);

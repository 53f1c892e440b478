/** Returns the `code` that Node.js, the driver or another library gave an error; undefined without one. */
export const errorCodeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Options of every schema: a field that it does not declare is an error, in a write and in a filter. */
export const STRICT = { strict: 'throw', strictQuery: 'throw', versionKey: false } as const;

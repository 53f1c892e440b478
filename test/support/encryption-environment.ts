/** A key that all processes of a test share; otherwise each data folder has a key of its own. */
export const SHARED_KEY = '7a'.repeat(32);

/** The setting that the tests run with: `PII_ENCRYPTION=on npm test` runs them with encrypted personal fields. */
export const encryptionEnvironment = (): Record<string, string> =>
  process.env.PII_ENCRYPTION === 'on' ? { PII_ENCRYPTION: 'on', CONNECTOR_ENCRYPTION_KEY: SHARED_KEY } : {};

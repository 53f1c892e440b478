/** A key that all processes of a test share; otherwise each data folder has a key of its own. */
export const SHARED_KEY = '7a'.repeat(32);

/** True for `PII_ENCRYPTION=on npm test`, which runs the tests with encrypted personal fields. */
export const IS_ENCRYPTED = process.env.PII_ENCRYPTION === 'on';

/** The setting that the tests run with. */
export const encryptionEnvironment = (): Record<string, string> =>
  IS_ENCRYPTED ? { PII_ENCRYPTION: 'on', CONNECTOR_ENCRYPTION_KEY: SHARED_KEY } : {};

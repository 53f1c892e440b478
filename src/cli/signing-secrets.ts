import { isSigningSecret } from '../platform/standard-webhooks.ts';
import { UsageError } from './output/command-failure.ts';

/**
 * Checks signing secrets of endpoints that an operator has passed.
 * @throws UsageError, which does not contain the text: it may be a mistyped secret
 */
export function requireSigningSecrets(secrets: string[], setting: string): void {
  if (secrets.every(isSigningSecret)) return;
  throw new UsageError(
    `${setting} is not a signing secret; it begins with whsec_ and is shown when an endpoint is created and when its secret is rotated.`,
  );
}

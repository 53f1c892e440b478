import type { EndpointDoc } from './endpoint.model.ts';
import { type Signing, signingOf } from './endpoint.types.ts';
import type { EndpointSecrets } from './endpoint-secrets.ts';

/** Optional settings of an endpoint: an omitted one keeps its value, null restores its default. */
export interface SettingsPatch {
  /** Default: `hmac`. */
  signing?: Signing | null;
}

export type StoredSettings = Partial<Pick<EndpointDoc, 'privateKey' | 'publicKey'>>;

interface SettingsContext {
  patch: SettingsPatch;
  /** The endpoint before the change. */
  current: EndpointDoc;
  secrets: EndpointSecrets;
}

/** Returns the stored form of the settings that a patch changes. */
export const storedSettings = (context: SettingsContext): StoredSettings => changedSigning(context);

/** Returns whether results of attempts before a change of these settings say nothing about the endpoint after it. */
export const replacesTarget = (settings: StoredSettings): boolean => settings.publicKey !== undefined;

/** An endpoint that signs as wanted keeps its key pair. */
function changedSigning({ patch, current, secrets }: SettingsContext): StoredSettings {
  if (patch.signing === undefined) return {};
  const signing = patch.signing ?? 'hmac';
  return signing === signingOf(current) ? {} : secrets.keyPair(current, signing);
}

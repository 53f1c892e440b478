import { isDeepStrictEqual } from 'node:util';
import { type ErrorDetail, invalidInput } from '../../../errors/app-error.ts';
import { EVENT_NAMES } from '../../outbox/event-catalog.ts';
import type { EventTypeName } from '../../outbox/event-type.ts';
import { type AuthenticationInput, authenticationIssues, splitAuthentication } from './authentication.ts';
import { type CustomHeaders, maskIssues, unmasked } from './custom-headers.ts';
import type { EndpointDoc } from './endpoint.model.ts';
import {
  type EndpointOrdering,
  type EndpointPayload,
  type EndpointRateLimit,
  type Signing,
  signingOf,
} from './endpoint.types.ts';
import type { EndpointSecrets } from './endpoint-secrets.ts';
import { type EndpointFilter, filterIssues } from './filter.ts';

/** Optional settings of an endpoint: an omitted one keeps its value, null restores its default. */
export interface SettingsPatch {
  /** Default: no filter. */
  filter?: EndpointFilter | null;
  /** Default: `full`. */
  payload?: EndpointPayload | null;
  /** Default: none. A masked value keeps the stored one. */
  headers?: CustomHeaders | null;
  /** Default: none. */
  authentication?: AuthenticationInput | null;
  /** Default: `hmac`. */
  signing?: Signing | null;
  /** Default: `WEBHOOK_TIMEOUT`. */
  timeoutSeconds?: number | null;
  /** Default: false. */
  paused?: boolean | null;
  /** Default: no limit. */
  rateLimit?: EndpointRateLimit | null;
  /** Default: false. */
  autoRecover?: boolean | null;
  /** Default: `none`. */
  ordering?: EndpointOrdering | null;
}

/** Settings that are stored as a client gives them. */
const STORED_AS_GIVEN = [
  'timeoutSeconds',
  'paused',
  'rateLimit',
  'autoRecover',
  'ordering',
] as const satisfies (keyof SettingsPatch)[];
type StoredAsGiven = Pick<EndpointDoc, (typeof STORED_AS_GIVEN)[number]>;

export type StoredSettings = Partial<
  Pick<EndpointDoc, 'filter' | 'payload' | 'headers' | 'authentication' | 'privateKey' | 'publicKey'>
> &
  StoredAsGiven;

interface SettingsContext {
  patch: SettingsPatch;
  /** The endpoint before the change. */
  current: EndpointDoc;
  secrets: EndpointSecrets;
  /** Returns what is wrong with a URL that the service sends to; null if it is allowed. */
  checkUrl: (url: string) => string | null;
  now: Date;
}

/**
 * Returns the stored form of the settings that a patch changes.
 * @throws AppError `VALIDATION_FAILED` when a masked header has no stored value
 */
export function storedSettings(context: SettingsContext): StoredSettings {
  const issues = secretIssues(context);
  if (issues.length > 0) throw invalidInput(issues);
  return {
    ...changedFilter(context),
    ...changedPayload(context),
    ...changedHeaders(context),
    ...changedAuthentication(context),
    ...changedSigning(context),
    ...givenSettings(context.patch),
  };
}

const secretIssues = (context: SettingsContext): ErrorDetail[] => {
  const { patch, current } = context;
  const { headers, authentication } = patch;
  return [
    ...maskIssues(headers ?? {}, current.headers?.names ?? []),
    ...(authentication
      ? authenticationIssues(authentication, { ...context, stored: current.authentication })
      : []),
    ...authorizationIssues(context),
  ];
};

/** A token of OAuth 2.0 is sent in the header that `headers` may have otherwise. */
function authorizationIssues({ patch, current }: SettingsContext): ErrorDetail[] {
  const {
    headers = Object.fromEntries(current.headers?.names.map((each) => [each, '']) ?? []),
    authentication = current.authentication,
  } = patch;
  const name = Object.keys(headers ?? {}).find((each) => each.toLowerCase() === 'authorization');
  if (name === undefined || !authentication?.oauth2) return [];
  const message = 'Must not be set: the authentication by OAuth 2.0 sets it.';
  return [{ path: patch.headers ? `headers.${name}` : 'authentication', message }];
}

const givenSettings = (patch: SettingsPatch): StoredAsGiven =>
  Object.fromEntries(
    STORED_AS_GIVEN.filter((name) => patch[name] !== undefined).map((name) => [name, patch[name]]),
  );

/** Returns true if these settings replace the target: results of earlier attempts no longer count. */
export const hasTargetSettings = ({ headers, authentication, publicKey }: StoredSettings): boolean =>
  headers !== undefined || authentication !== undefined || publicKey !== undefined;

function changedHeaders({ patch: { headers }, current, secrets }: SettingsContext): StoredSettings {
  if (headers === undefined) return {};
  const stored = current.headers ? secrets.credentialsOf(current).headers : {};
  const wanted = unmasked(headers ?? {}, stored);
  return areEqual(wanted, stored) ? {} : { headers: secrets.encryptHeaders(current, wanted) };
}

const areEqual = (one: CustomHeaders, other: CustomHeaders): boolean =>
  JSON.stringify(Object.entries(one)) === JSON.stringify(Object.entries(other));

function changedAuthentication({ patch, current, secrets }: SettingsContext): StoredSettings {
  const { authentication } = patch;
  if (authentication === undefined) return {};
  if (authentication === null) return current.authentication ? { authentication } : {};
  const { shown, secret } = splitAuthentication(authentication, current.authentication);
  if (secret === null && isDeepStrictEqual(shown.oauth2, current.authentication?.oauth2)) return {};
  return {
    authentication: {
      ...shown,
      secret:
        secret === null
          ? (current.authentication?.secret ?? '')
          : secrets.encryptAuthentication(current, secret),
    },
  };
}

const changedFilter = ({ patch: { filter } }: SettingsContext): StoredSettings =>
  filter === undefined ? {} : { filter: filter && JSON.stringify(filter) };

const changedPayload = ({ patch: { payload } }: SettingsContext): StoredSettings =>
  payload === undefined ? {} : { payload };

/** An endpoint that signs as wanted keeps its key pair. */
function changedSigning({ patch, current, secrets }: SettingsContext): StoredSettings {
  if (patch.signing === undefined) return {};
  const signing = patch.signing ?? 'hmac';
  return signing === signingOf(current) ? {} : secrets.keyPair(current, signing);
}

/** Stored fields that the validity of new settings depends on. */
type Subscription = Pick<EndpointDoc, 'events' | 'filter'>;

/** The subscription of an endpoint before its creation. */
export const NEW_ENDPOINT: Subscription = { events: null };

/**
 * Returns what is wrong with new settings, together with those that stay: the filter must fit the event types that the
 * endpoint receives, whether the filter or the event types change.
 *
 * @param current null if the endpoint is not known
 */
export function settingIssues(
  patch: SettingsPatch & { events?: EventTypeName[] | null },
  current: Subscription | null,
): ErrorDetail[] {
  const { filter, events = current ? current.events : EVENT_NAMES } = patch;
  if (filter) return filterIssues(filter, events);
  if (filter === null || patch.events === undefined || !current?.filter) return [];
  const [issue] = filterIssues(JSON.parse(current.filter), events);
  return issue ? [{ path: 'events', message: `Must fit the filter of the endpoint. ${issue.message}` }] : [];
}

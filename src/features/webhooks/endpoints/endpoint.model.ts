import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import type { EndpointEventName } from '../../outbox/event-catalog.ts';
import { CLIENT_AUTHENTICATIONS, type StoredAuthentication } from './authentication.ts';
import { masked } from './custom-headers.ts';
import {
  CIRCUIT_STATES,
  DISABLED_REASONS,
  type EndpointCircuit,
  type EndpointPayload,
  type EndpointRateLimit,
  ORDERINGS,
  PAYLOADS,
  type Steering,
  signingOf,
  type WebhookEndpoint,
} from './endpoint.types.ts';

/** What signs the deliveries of an endpoint. */
export interface StoredSigningKey {
  /** Signing secret, encrypted and bound to this endpoint. */
  secret: string;
  /** Ed25519 key, encrypted and bound to this endpoint; null or absent, like `publicKey`, if `signing` is `hmac`. */
  privateKey?: string | null;
  publicKey?: string | null;
}

export interface StoredHeaders {
  names: string[];
  /** JSON of the values in the order of the names, encrypted and bound to this endpoint. */
  values: string;
}

/** Fields of `WebhookEndpoint` that are stored in another form, or follow from other fields. */
type Derived =
  | 'revision'
  | 'circuit'
  | 'filter'
  | 'payload'
  | 'headers'
  | 'authentication'
  | 'signing'
  | 'publicKey'
  | 'previousSecretExpiresAt';

/** A circuit that is not closed. */
export interface StoredCircuit {
  state: Exclude<EndpointCircuit['state'], 'closed'>;
  since: Date;
  reason: string;
  /** Earliest time of the next probe; while a probe is in flight, its deadline. */
  probeAt: Date;
  failedProbes: number;
}

/** Deliveries of an endpoint whose attempts have all failed. */
export interface ExhaustedDeliveries {
  /** Also increased for deliveries whose number is unknown, so that every addition changes it. */
  count: number;
  /** Time of the earliest creation among them, or before it if it is unknown. */
  createdSince: Date;
  /** Time at which the first of them failed, or before it if it is unknown. */
  finishedSince: Date;
}

/** A setting that is absent or null has its default. */
type StoredSteering = { [Setting in keyof Steering]?: Steering[Setting] | null };

export interface EndpointDoc
  extends Omit<WebhookEndpoint, Derived | keyof Steering>,
    StoredSigningKey,
    StoredSteering {
  /** As JSON, so that its keys cannot act as operators; absent or null if there is none. */
  filter?: string | null;
  /** Absent or null: `full`. */
  payload?: EndpointPayload | null;
  /** Set while it is read if its customer is suspended; not stored. */
  suspended?: true;
  /** Custom headers; null or absent if there are none. */
  headers?: StoredHeaders | null;
  /** Null or absent if its receiver needs none. */
  authentication?: StoredAuthentication | null;
  /** Absent in an endpoint of a build without revisions, until its first change. */
  revision?: number;
  /**
   * Random token, replaced with each change of `url`, `secret`, `signing`, `headers` or `authentication` and each
   * time the endpoint is enabled; absent before the first time. A counter could issue a number twice, after a failover
   * that undoes a change.
   */
  targetToken?: string;
  /** The key before the last rotation, which signs as well until a time; absent if that rotation had no overlap. */
  previous?: StoredSigningKey & { until: Date };
  /**
   * Deliveries that were exhausted since the last success or, with `autoRecover`, since a recovery of such deliveries
   * began; absent if there are none. A change of the target does not end the outage.
   */
  exhausted?: ExhaustedDeliveries;
  /** Number of failed attempts since the last success; the input of `auto-disable.ts`. */
  failures: number;
  /** Time of the first of these failures; null if there are none. */
  failingSince: Date | null;
  /** Some of the deliveries that these failures are of, up to `TRIPPING_DELIVERIES`; absent if there are none. */
  failedDeliveries?: Types.ObjectId[];
  /** Null or absent while it is closed. */
  circuit?: StoredCircuit | null;
  /** True while `endpoint.failing` stands: until an attempt has succeeded. */
  failingReported?: boolean;
  /** Oldest first; a job publishes and removes them (`endpoint-events.ts`). */
  unpublished?: UnpublishedEvent[];
  /** Time of the latest `delivery.exhausted`. */
  exhaustedPublishedAt?: Date;
}

/** Values of an endpoint without failures since its last success, or since it has its target. */
export const NO_FAILURES = {
  failures: 0,
  failingSince: null,
  failedDeliveries: [] as Types.ObjectId[],
  circuit: null,
} satisfies Partial<EndpointDoc>;

/** An operational event about the endpoint that is not published yet, without its `endpointId`. */
export interface UnpublishedEvent {
  _id: Types.ObjectId;
  event: EndpointEventName;
  at: Date;
  data: Record<string, unknown>;
}

/** Index of the endpoints that name an event type, by customer. */
export const BY_EVENT = { events: 1, customerId: 1 } as const;

/** Path of the expiry of a client certificate. */
export const CERTIFICATE_EXPIRY = 'authentication.mtls.certificateExpiresAt';

/** Paths of the public keys that sign. */
export const PUBLIC_KEYS = ['publicKey', 'previous.publicKey'] as const;

const signingKey = {
  secret: { type: String, required: true },
  privateKey: { type: String },
  publicKey: { type: String },
} as const;

/** Index of the endpoints whose circuit is not closed; it has no others. */
export const BY_CIRCUIT = { 'circuit.state': 1 } as const;

/** Index of the endpoints with events to be published; it has no others. */
export const BY_UNPUBLISHED = { 'unpublished.at': 1 } as const;

const authentication = {
  oauth2: {
    type: new Schema(
      {
        tokenUrl: { type: String, required: true },
        clientId: { type: String, required: true },
        scope: { type: String, default: null },
        audience: { type: String, default: null },
        clientAuthentication: { type: String, enum: CLIENT_AUTHENTICATIONS, required: true },
      },
      { _id: false },
    ),
    default: null,
  },
  mtls: {
    type: new Schema(
      {
        certificateExpiresAt: { type: Date, required: true },
        certificateSubject: { type: String, default: '' },
      },
      { _id: false },
    ),
    default: null,
  },
  secret: { type: String, required: true },
} as const;

const endpointSchema = new Schema<EndpointDoc>(
  {
    id: { type: Number, required: true },
    customerId: { type: Number, required: true },
    url: { type: String, required: true },
    description: { type: String, default: null },
    events: { type: [String], default: null },
    filter: { type: String },
    payload: { type: String, enum: [...PAYLOADS, null] },
    enabled: { type: Boolean, required: true },
    disabledReason: { type: String, enum: [...DISABLED_REASONS, null], default: null },
    ...signingKey,
    headers: {
      type: new Schema(
        { names: { type: [String], required: true }, values: { type: String, required: true } },
        { _id: false },
      ),
    },
    authentication: { type: new Schema(authentication, { _id: false }) },
    previous: { type: new Schema({ ...signingKey, until: { type: Date, required: true } }, { _id: false }) },
    failures: { type: Number, required: true, default: 0 },
    failingSince: { type: Date, default: null },
    failedDeliveries: { type: [Schema.Types.ObjectId], default: undefined },
    circuit: {
      type: new Schema<StoredCircuit>(
        {
          state: { type: String, enum: CIRCUIT_STATES, required: true },
          since: { type: Date, required: true },
          reason: { type: String, required: true },
          probeAt: { type: Date, required: true },
          failedProbes: { type: Number, required: true },
        },
        { _id: false },
      ),
    },
    exhausted: {
      type: new Schema<ExhaustedDeliveries>(
        {
          count: { type: Number, required: true },
          createdSince: { type: Date, required: true },
          finishedSince: { type: Date, required: true },
        },
        { _id: false },
      ),
    },
    failingReported: { type: Boolean },
    unpublished: { type: [Schema.Types.Mixed], default: undefined } as never,
    exhaustedPublishedAt: { type: Date },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    revision: { type: Number },
    targetToken: { type: String },
    timeoutSeconds: { type: Number },
    paused: { type: Boolean },
    autoRecover: { type: Boolean },
    ordering: { type: String, enum: [...ORDERINGS, null] },
    rateLimit: {
      type: new Schema<EndpointRateLimit>(
        { count: { type: Number, required: true }, perSeconds: { type: Number, required: true } },
        { _id: false },
      ),
    },
  },
  { ...STRICT, id: false, collection: 'webhookEndpoints' },
);
endpointSchema.index({ id: 1 }, { unique: true });
endpointSchema.index({ customerId: 1, id: -1 });
endpointSchema.index(BY_EVENT);
endpointSchema.index(BY_UNPUBLISHED, { sparse: true });
endpointSchema.index(BY_CIRCUIT, { sparse: true });
endpointSchema.index({ [CERTIFICATE_EXPIRY]: 1 }, { sparse: true });
for (const path of PUBLIC_KEYS) endpointSchema.index({ [path]: 1 }, { sparse: true });

export const endpointModel = (connection: Connection): Model<EndpointDoc> =>
  connection.model<EndpointDoc>('WebhookEndpoint', endpointSchema);

/** Number of endpoints of one tenant: guards the limit under concurrent creates. */
export interface EndpointCountDoc {
  /** The customer. */
  _id: number;
  count: number;
}

const endpointCountSchema = new Schema<EndpointCountDoc>(
  { _id: { type: Number, required: true }, count: { type: Number, required: true } },
  { ...STRICT, collection: 'webhookEndpointCounts' },
);

export const endpointCountModel = (connection: Connection): Model<EndpointCountDoc> =>
  connection.model<EndpointCountDoc>('WebhookEndpointCount', endpointCountSchema);

/** Returns true if both states of an endpoint have the same target: a result with one then counts for the other. */
export const hasSameTarget = (one: EndpointDoc, other: EndpointDoc): boolean =>
  one.targetToken === other.targetToken;

/** Returns the time limit of an attempt. Milliseconds. @param defaultMs `WEBHOOK_TIMEOUT` */
export const timeoutMsOf = ({ timeoutSeconds }: EndpointDoc, defaultMs: number): number =>
  timeoutSeconds == null ? defaultMs : timeoutSeconds * 1000;

const toCircuit = (circuit: StoredCircuit | null | undefined): EndpointCircuit =>
  circuit
    ? { state: circuit.state, since: circuit.since, reason: circuit.reason }
    : { state: 'closed', since: null, reason: null };

/** Returns the endpoint without its secrets and failure counters. @param defaultTimeoutMs `WEBHOOK_TIMEOUT` */
export const toEndpoint = (doc: EndpointDoc, defaultTimeoutMs: number): WebhookEndpoint => ({
  id: doc.id,
  customerId: doc.customerId,
  url: doc.url,
  description: doc.description,
  events: doc.events,
  filter: doc.filter ? JSON.parse(doc.filter) : null,
  payload: doc.payload ?? 'full',
  enabled: doc.enabled,
  disabledReason: doc.disabledReason,
  circuit: toCircuit(doc.circuit),
  headers: masked(doc.headers?.names ?? []),
  authentication: doc.authentication
    ? { oauth2: doc.authentication.oauth2, mtls: doc.authentication.mtls }
    : null,
  signing: signingOf(doc),
  publicKey: doc.publicKey ?? null,
  previousSecretExpiresAt: doc.previous?.until ?? null,
  timeoutSeconds: timeoutMsOf(doc, defaultTimeoutMs) / 1000,
  paused: doc.paused ?? false,
  rateLimit: doc.rateLimit ?? null,
  autoRecover: doc.autoRecover ?? false,
  ordering: doc.ordering ?? 'none',
  createdAt: doc.createdAt,
  updatedAt: doc.updatedAt,
  revision: doc.revision ?? 0,
});

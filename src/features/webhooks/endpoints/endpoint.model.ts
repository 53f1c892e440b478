import { type Connection, type Model, Schema } from 'mongoose';
import { DISABLED_REASONS, type WebhookEndpoint } from './endpoint.types.ts';

export interface EndpointDoc extends Omit<WebhookEndpoint, 'revision'> {
  /** Absent in endpoints that were created before there were revisions, until the first change. */
  revision?: number;
  /**
   * Random token, replaced with each change of `url` or `secret` and each time the endpoint is enabled; absent until the
   * first of these. A counter would repeat a number whose change a failover has undone.
   */
  targetToken?: string;
  /** Signing secret, encrypted and bound to this endpoint. */
  secret: string;
  /** Number of failed attempts since the last success; the input of `auto-disable.ts`. */
  failures: number;
  /** Time of the first of these failures; null if there are none. */
  failingSince: Date | null;
}

const strict = { strict: 'throw', strictQuery: 'throw', versionKey: false } as const;

/** Index of the endpoints that name an event type, by customer. */
export const BY_EVENT = { events: 1, customerId: 1 } as const;

const endpointSchema = new Schema<EndpointDoc>(
  {
    id: { type: Number, required: true },
    customerId: { type: Number, required: true },
    url: { type: String, required: true },
    description: { type: String, default: null },
    events: { type: [String], default: null },
    enabled: { type: Boolean, required: true },
    disabledReason: { type: String, enum: [...DISABLED_REASONS, null], default: null },
    secret: { type: String, required: true },
    failures: { type: Number, required: true, default: 0 },
    failingSince: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    revision: { type: Number },
    targetToken: { type: String },
  },
  { ...strict, id: false, collection: 'webhookEndpoints' },
);
endpointSchema.index({ id: 1 }, { unique: true });
endpointSchema.index({ customerId: 1, id: -1 });
endpointSchema.index(BY_EVENT);

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
  { ...strict, collection: 'webhookEndpointCounts' },
);

export const endpointCountModel = (connection: Connection): Model<EndpointCountDoc> =>
  connection.model<EndpointCountDoc>('WebhookEndpointCount', endpointCountSchema);

/** Returns whether an attempt that used one state of an endpoint says something about the other. */
export const hasSameTarget = (one: EndpointDoc, other: EndpointDoc): boolean =>
  one.targetToken === other.targetToken;

/** Returns the endpoint without its secret and failure counters. */
export const toEndpoint = (doc: EndpointDoc): WebhookEndpoint => ({
  id: doc.id,
  customerId: doc.customerId,
  url: doc.url,
  description: doc.description,
  events: doc.events,
  enabled: doc.enabled,
  disabledReason: doc.disabledReason,
  createdAt: doc.createdAt,
  updatedAt: doc.updatedAt,
  revision: doc.revision ?? 0,
});

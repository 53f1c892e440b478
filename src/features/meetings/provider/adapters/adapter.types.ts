import type { MeetingNotice, ProviderMeeting, ProviderSegment } from '../provider.types.ts';
import type { RecordSource } from '../record-reader.ts';

/** Endpoints of a provider that share one rate limit. */
export interface EndpointClass {
  /** Unique within the adapter: requests are paced by API key and this name. */
  name: string;
  /** Requests per minute that the provider documents. `CONNECTOR_PACING` is the interval at 60 per minute. */
  perMinute: number;
}

/** A `GET` request below `RECORDER_API_URL`. */
export interface ProviderEndpoint {
  /** Path with a leading slash, such as `/meetings`. */
  path: string;
  endpointClass: EndpointClass;
}

/** The paged list of meetings. */
export interface ListingEndpoint extends ProviderEndpoint {
  /**
   * Returns the query of the first page: meetings created at or after `since`, and before `until` unless it is null. A
   * provider without a query for the end ignores `until`; the sync drops meetings outside its range.
   */
  query: (request: { since: Date; until: Date | null }) => Record<string, string>;
  /**
   * Returns the query of the first page of meetings created or changed at or after `since`; null if the provider has no
   * such query. A transcript or summary that arrives late must count as a change.
   */
  changesQuery: ((request: { since: Date }) => Record<string, string>) | null;
  /** True if the provider documents the order oldest first: a sync then ends at the first page beyond its range. */
  isOldestFirst: boolean;
  /** Query parameter for the cursor. */
  cursorParameter: string;
  /** Field names of a page. */
  envelope: {
    /** Names of the list of meetings; the first one that is not empty counts. */
    meetings: readonly string[];
    /** Field with the cursor of the next page. */
    nextCursor: string;
    /** Field with the URL of the next page, which takes precedence over the cursor; null if there is none. */
    nextUrl: string | null;
  };
}

export interface SingleMeetingEndpoint {
  /** Returns the path of a meeting. HTTP 404 means that the provider does not have it. */
  path: (id: string) => string;
  query: Record<string, string>;
  endpointClass: EndpointClass;
}

/** Optional fields of a meeting, as its adapter reads them; a null `startedAt` means the creation time. */
export type MeetingFields = Pick<
  ProviderMeeting,
  'title' | 'durationSeconds' | 'participants' | 'summary' | 'updatedAt'
> & {
  startedAt: Date | null;
  /** Empty while the provider processes the recording. */
  transcript: ProviderSegment[];
};

/** Maps the provider's JSON of a meeting. */
export interface MeetingMapping {
  /** Field with the identifier: text or a whole number. */
  id: string;
  /** Fields with the creation time; the first usable one counts. A meeting without one is rejected. */
  createdAt: readonly string[];
  /** Field with the transcript, which is not part of the stored record. */
  transcript: string;
  /** Reads the optional fields with the functions of `../record-reader.ts`. */
  read: (meeting: RecordSource) => MeetingFields;
}

/** Declares a meeting provider's API; `docs/recorder-adapters.md` describes how to write an adapter. */
export interface ProviderAdapter {
  /** Value of `RECORDER_PROVIDER`. */
  name: string;
  /** Returns the headers that carry the API key. */
  authentication: (apiKey: string) => Record<string, string>;
  /** Requests that confirm a key by HTTP 200; each is sent only if the one before is not available. */
  keyChecks: readonly [ProviderEndpoint, ...ProviderEndpoint[]];
  listing: ListingEndpoint;
  /** Null if the provider has none: a meeting is then looked up in the list, around its creation time. */
  single: SingleMeetingEndpoint | null;
  /** Returns the change that the body of a Standard Webhook reports; null for any other event. */
  noticeOf: (body: Readonly<Record<string, unknown>>) => MeetingNotice | null;
  meeting: MeetingMapping;
}

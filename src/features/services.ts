import type { SharedQuota } from '../limits/shared-quota.ts';
import type { UsageService } from '../limits/tenant-limits.ts';
import type { Idempotency } from '../platform/commit/idempotency/idempotency.ts';
import type { WriteOutage } from '../platform/mongo/outages.ts';
import type { activityService } from './activity/activity.service.ts';
import type { ConversationFeed } from './conversations/conversation-feed.ts';
import type { ConversationCount, ConversationService } from './conversations/conversations.service.ts';
import type { ImportService } from './conversations/import/import.service.ts';
import type { MoveService } from './conversations/moves.service.ts';
import type { DriftService } from './drift/drift.service.ts';
import type { EventService } from './events/events.service.ts';
import type { HealthService } from './health/health.service.ts';
import type { ConnectionService } from './meetings/connection/connection.service.ts';
import type { MappingService } from './meetings/mapping/mapping.service.ts';
import type { ReprojectionFeed, ReprojectionService } from './meetings/reprojection/reprojection.service.ts';
import type { MeetingSearchService } from './meetings/search/meeting-search.service.ts';
import type { MeetingService } from './meetings/stored-meetings/meetings.service.ts';
import type { SyncService } from './meetings/sync/sync.service.ts';
import type { SyncFeed } from './meetings/sync/sync-run-view.ts';
import type { ProviderWebhookService } from './meetings/webhook/provider-webhook.service.ts';
import type { EventCount, TimelineService } from './outbox/timeline.service.ts';
import type { ConsoleSessions } from './tenants/console-sessions.ts';
import type { KeyService } from './tenants/keys.service.ts';
import type { TenantService } from './tenants/tenants.service.ts';
import type { DeliveryCount, DeliveryService } from './webhooks/delivery/delivery.service.ts';
import type { DeliveryFeed } from './webhooks/delivery/delivery-feed.ts';
import type { EndpointService } from './webhooks/endpoints/endpoint.service.ts';
import type { TestEventService } from './webhooks/endpoints/test-event.service.ts';
import type { RecoveryService } from './webhooks/recovery/recovery.service.ts';

/** Services that resolvers, routes and commands may call. */
export interface Services {
  tenants: TenantService;
  keys: KeyService;
  consoleSessions: ConsoleSessions;
  endpoints: EndpointService;
  deliveries: DeliveryService;
  recoveries: RecoveryService;
  testEvents: TestEventService;
  deliveryFeed: DeliveryFeed;
  timeline: TimelineService;
  activity: ReturnType<typeof activityService<EventCount, DeliveryCount, ConversationCount>>;
  conversations: ConversationService;
  conversationFeed: ConversationFeed;
  moves: MoveService;
  imports: ImportService;
  events: EventService;
  usage: UsageService;
  drift: DriftService;
  providerConnection: ConnectionService;
  providerWebhook: ProviderWebhookService;
  fieldMapping: MappingService;
  reprojections: ReprojectionService;
  reprojectionFeed: ReprojectionFeed;
  syncs: SyncService;
  syncFeed: SyncFeed;
  meetings: MeetingService;
  meetingSearch: MeetingSearchService;
  health: HealthService;
  idempotency: Pick<Idempotency, 'recordInCommit' | 'claimFirst'>;
  /** Runs an operation that makes changes; refuses it, or ends the wait for it, while writes do not become durable. */
  guardWrite: WriteOutage['guard'];
  /** Quota of each API key; null if `RATE_LIMIT` is `off`. */
  requestQuota: SharedQuota | null;
}

import type { activityService } from './features/activity/activity.service.ts';
import type { ConversationFeed } from './features/conversations/conversation-feed.ts';
import type {
  ConversationCount,
  ConversationService,
} from './features/conversations/conversations.service.ts';
import type { ImportService } from './features/conversations/import/import.service.ts';
import type { MoveService } from './features/conversations/moves.service.ts';
import type { DriftService } from './features/drift/drift.service.ts';
import type { EventService } from './features/events/events.service.ts';
import type { HealthService } from './features/health/health.service.ts';
import type { UsageService } from './features/limits/tenant-limits.ts';
import type { ConnectionService } from './features/meetings/connection/connection.service.ts';
import type { MappingService } from './features/meetings/mapping/mapping.service.ts';
import type { MeetingService } from './features/meetings/records/meetings.service.ts';
import type {
  ReprojectionFeed,
  ReprojectionService,
} from './features/meetings/reprojection/reprojections.ts';
import type { MeetingSearchService } from './features/meetings/search/meeting-search.service.ts';
import type { SyncService } from './features/meetings/sync/sync.service.ts';
import type { SyncFeed } from './features/meetings/sync/sync-progress-feed.ts';
import type { RecorderWebhookService } from './features/meetings/webhook/recorder-webhook.service.ts';
import type { EventCount, TimelineService } from './features/outbox/timeline.service.ts';
import type { ConsoleSessions } from './features/tenants/console-sessions.ts';
import type { KeyService } from './features/tenants/keys.service.ts';
import type { TenantService } from './features/tenants/tenants.service.ts';
import type { DeliveryCount, DeliveryService } from './features/webhooks/delivery/delivery.service.ts';
import type { DeliveryFeed } from './features/webhooks/delivery/delivery-feed.ts';
import type { EndpointService } from './features/webhooks/endpoints/endpoint.service.ts';
import type { TestEventService } from './features/webhooks/endpoints/test-event.service.ts';
import type { RecoveryService } from './features/webhooks/recovery/recovery.service.ts';
import type { Idempotency } from './platform/idempotency/idempotency.ts';
import type { WriteOutage } from './platform/mongo/outages.ts';
import type { SharedQuota } from './platform/mongo/shared-quota.ts';

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
  recorder: ConnectionService;
  recorderWebhook: RecorderWebhookService;
  fieldMapping: MappingService;
  reprojections: ReprojectionService;
  reprojectionFeed: ReprojectionFeed;
  syncs: SyncService;
  syncFeed: SyncFeed;
  meetings: MeetingService;
  meetingSearch: MeetingSearchService;
  health: HealthService;
  idempotency: Pick<Idempotency, 'run'>;
  /** Runs an operation that makes changes; refuses it, or ends the wait for it, while writes do not become durable. */
  guardWrite: WriteOutage['guard'];
  /** Quota of each API key; null if `RATE_LIMIT` is `off`. */
  requestQuota: SharedQuota | null;
}

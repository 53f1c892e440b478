import {
  CONVERSATION_FIELDS,
  MESSAGE_FIELDS,
  MILESTONE_FIELDS,
} from '../features/conversations/conversations.model.ts';
import { STAGED_FIELDS } from '../features/conversations/import/import.model.ts';
import {
  ACTIVITY_FIELDS,
  MEETING_FIELDS,
  TRANSCRIPT_FIELDS,
} from '../features/meetings/stored-meetings/meetings.model.ts';
import { EVENT_FIELDS } from '../features/outbox/outbox-event.model.ts';
import { ARCHIVED_EVENT_FIELDS } from '../features/outbox/timeline-archive.model.ts';
import { PREVIEW_EVENT_FIELDS } from '../features/preview-events/preview-event.model.ts';
import type { PersonalFields } from '../features/privacy/personal-fields.ts';
import { DELIVERY_FIELDS } from '../features/webhooks/delivery/delivery.model.ts';

/** What `PII_ENCRYPTION` encrypts, apart from the search index of meetings. `docs/privacy.md` has all of it. */
export const PERSONAL_FIELDS: readonly PersonalFields[] = [
  CONVERSATION_FIELDS,
  MESSAGE_FIELDS,
  MILESTONE_FIELDS,
  STAGED_FIELDS,
  PREVIEW_EVENT_FIELDS,
  EVENT_FIELDS,
  ARCHIVED_EVENT_FIELDS,
  DELIVERY_FIELDS,
  MEETING_FIELDS,
  TRANSCRIPT_FIELDS,
  ACTIVITY_FIELDS,
];

import {
  CONVERSATION_FIELDS,
  MESSAGE_FIELDS,
  MILESTONE_FIELDS,
} from '../features/conversations/conversations.model.ts';
import { STAGED_FIELDS } from '../features/conversations/import/import.model.ts';
import { PREVIEW_EVENT_FIELDS } from '../features/events/events.model.ts';
import { EVENT_FIELDS } from '../features/outbox/outbox-event.model.ts';
import { ARCHIVED_EVENT_FIELDS } from '../features/outbox/timeline-archive.model.ts';
import type { PersonalFields } from '../features/privacy/personal-fields.ts';
import { DELIVERY_FIELDS } from '../features/webhooks/delivery/delivery.model.ts';

/** Everything that `PII_ENCRYPTION` encrypts. `docs/privacy.md` lists it, with what stays plain. */
export const PERSONAL_FIELDS: readonly PersonalFields[] = [
  CONVERSATION_FIELDS,
  MESSAGE_FIELDS,
  MILESTONE_FIELDS,
  STAGED_FIELDS,
  PREVIEW_EVENT_FIELDS,
  EVENT_FIELDS,
  ARCHIVED_EVENT_FIELDS,
  DELIVERY_FIELDS,
];

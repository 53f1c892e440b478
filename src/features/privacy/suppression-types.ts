/** Types of identifiers that can be suppressed: those of people, and the provider's ids of meetings. */
export const SUPPRESSION_TYPES = [
  'email',
  'visitor_id',
  'resolved_person_id',
  'phone',
  'name',
  'meeting',
] as const;
export type SuppressionType = (typeof SUPPRESSION_TYPES)[number];

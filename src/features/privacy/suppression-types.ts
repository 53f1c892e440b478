/** Types of identifiers that can be suppressed. */
export const SUPPRESSION_TYPES = ['email', 'visitor_id', 'resolved_person_id', 'phone', 'name'] as const;
export type SuppressionType = (typeof SUPPRESSION_TYPES)[number];

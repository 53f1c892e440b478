/** Types of identifiers that can be suppressed. Names are not: other people have them as well. */
export const SUPPRESSION_TYPES = ['email', 'visitor_id', 'resolved_person_id', 'phone'] as const;
export type SuppressionType = (typeof SUPPRESSION_TYPES)[number];

/** How urgent an issue is, most urgent first. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const;

export interface OpenIssue {
  /** Stays the same while the issue persists; differs when it occurs again. */
  id: string;
  severity: (typeof SEVERITIES)[number];
  text: string;
  /** What tells the age of the issue, such as `disabled` at a time; null if the service does not report it. */
  age: { label: string; at: string } | null;
  /** Page with the details. */
  to: string;
}

/** Compares issues for sorting, most urgent first. */
export const bySeverity = (a: Pick<OpenIssue, 'severity'>, b: Pick<OpenIssue, 'severity'>): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);

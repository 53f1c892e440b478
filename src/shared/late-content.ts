/** Days after a meeting in which its transcript, its summary and edits may arrive (contract 10). */
export const LATE_CONTENT_DAYS = 7;

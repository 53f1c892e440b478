/** A change that can break a client of the last release. */
export interface BreakingChange {
  /** Name that the changelog uses: `Type.field` in GraphQL, `GET /path` in REST, the name of a webhook. */
  subject: string;
  message: string;
}

import type { Page, Request } from 'playwright-core';
import DOCUMENTS from '../../src/console/generated/persisted-documents.json' with { type: 'json' };

interface RequestBody {
  documentId: keyof typeof DOCUMENTS;
  variables?: { stage?: string | null };
}

/** Name of the operation that a request of the console sends, such as `DriftStatus of trial`; null for other requests. */
export function operationOf(request: Request): string | null {
  if (!request.url().endsWith('/graphql')) return null;
  const { documentId, variables } = request.postDataJSON() as RequestBody;
  const name = /(?:query|mutation|subscription) (\w+)/.exec(DOCUMENTS[documentId])?.[1] ?? null;
  return variables?.stage ? `${name} of ${variables.stage}` : name;
}

/** Records the operations that the page sends from now on. */
export function sentOperations(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const operation = operationOf(request);
    if (operation) sent.push(operation);
  });
  return sent;
}

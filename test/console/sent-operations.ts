import type { Page, Request } from 'playwright-core';
import DOCUMENTS from '../../src/console/generated/persisted-documents.json' with { type: 'json' };

interface RequestBody {
  documentId: keyof typeof DOCUMENTS;
  variables?: { stage?: string | null; input?: { dryRun?: boolean } };
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

/** Records the requests of the page, from now on, to change data. */
export function sentMutations(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (!request.url().endsWith('/graphql')) return;
    const { documentId, variables } = request.postDataJSON() as RequestBody;
    const document = DOCUMENTS[documentId];
    if (document.startsWith('mutation') && !variables?.input?.dryRun) sent.push(document);
  });
  return sent;
}

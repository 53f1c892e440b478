import { createHash } from 'node:crypto';
import type { DocumentPolicy } from '../../config/config.ts';
import consoleDocuments from '../../console/generated/persisted-documents.json' with { type: 'json' };
import { AppError } from '../../errors/app-error.ts';
import { isObject } from '../../platform/is-object.ts';

/** Texts by document identifier, `sha256:` and the hexadecimal hash of the text. */
const DOCUMENTS: ReadonlyMap<string, string> = new Map(Object.entries(consoleDocuments));

const identifierOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Members of a request that name its document. */
interface DocumentParams {
  /** Absent or empty if the document is named by its hash. */
  query?: string | null;
  /** Document identifier of the GraphQL-over-HTTP draft. */
  documentId?: string | null;
  /** `persistedQuery.sha256Hash` is the hash without its prefix. */
  extensions?: Record<string, unknown> | null;
}

/** Returns the document identifier of a request; null if it has none. */
function requestedIdentifier({ documentId, extensions }: DocumentParams): string | null {
  if (documentId != null) return documentId;
  const persisted = extensions?.persistedQuery;
  const hash = isObject(persisted) ? persisted.sha256Hash : undefined;
  return typeof hash === 'string' ? `sha256:${hash}` : null;
}

const notTrusted = () =>
  new AppError(
    'DOCUMENT_NOT_TRUSTED',
    'This service executes only the documents of its console; use the REST API, or ask the operator about GRAPHQL_DOCUMENTS.',
  );

/** Clients of persisted queries recognize the code (Apollo Client) or the exact message (urql), and send the text. */
const unknownDocument = () => new AppError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');

/**
 * Returns the text of the document that a request sends or names.
 * @throws AppError BAD_REQUEST, PERSISTED_QUERY_NOT_FOUND, DOCUMENT_NOT_TRUSTED
 */
export function documentText(params: DocumentParams, policy: DocumentPolicy): string {
  const { query } = params;
  const identifier = requestedIdentifier(params);
  if (!query) {
    if (identifier === null)
      throw new AppError('BAD_REQUEST', 'The request has no document; send `query` or `documentId`.', {
        details: [{ path: 'query', message: 'Is required, unless the request has a `documentId`.' }],
      });
    const text = DOCUMENTS.get(identifier);
    if (text === undefined) throw policy === 'trusted' ? notTrusted() : unknownDocument();
    return text;
  }
  if (identifier === null && policy === 'any') return query;
  const actual = identifierOf(query);
  if (policy === 'trusted' && !DOCUMENTS.has(actual)) throw notTrusted();
  if (identifier !== null && identifier !== actual)
    throw new AppError('BAD_REQUEST', 'The hash of the document is not the SHA-256 of `query`.');
  return query;
}

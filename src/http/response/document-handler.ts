import type { RequestScope } from '../request-scope.ts';
import type { CompressedForms } from './content-encoding.ts';
import { contentTag } from './entity-tag.ts';
import { sendRead } from './send-response.ts';

/**
 * Creates the handler of a public document. It compresses the document once, since requests for it need no key.
 * @param contentType JSON by default
 */
export function documentHandler(
  content: string,
  contentType?: string,
): (scope: RequestScope) => Promise<void> {
  const forms: CompressedForms = new Map();
  const document = { content, tag: contentTag(content), forms, ...(contentType && { contentType }) };
  return (scope) => sendRead(scope, document);
}

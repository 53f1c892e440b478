import type { Exchange } from '../exchange.ts';
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
): (exchange: Exchange) => Promise<void> {
  const forms: CompressedForms = new Map();
  const document = { content, tag: contentTag(content), forms, ...(contentType && { contentType }) };
  return (exchange) => sendRead(exchange, document);
}

import type { Exchange } from '../exchange.ts';
import { contentTag } from '../response/entity-tag.ts';
import { sendRead } from '../response/send-response.ts';

/**
 * Creates the handler that serves a document as YAML (RFC 9512).
 * @param json the document; converted at the first request, since few processes get one
 */
export function yamlHandler(json: string): (exchange: Exchange) => Promise<void> {
  let document: Promise<{ content: string; tag: string }> | undefined;
  return async (exchange) => {
    document ??= toYaml(json).then((content) => ({ content, tag: contentTag(content) }));
    await sendRead(exchange, { ...(await document), contentType: 'application/yaml' });
  };
}

async function toYaml(json: string): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(JSON.parse(json), { lineWidth: 0 });
}

import type { RequestScope } from '../request-scope.ts';
import { documentHandler } from '../response/document-handler.ts';

/**
 * Creates the handler that serves a document as YAML (RFC 9512).
 * @param json the document; converted at the first request, since few processes get one
 */
export function yamlHandler(json: string): (scope: RequestScope) => Promise<void> {
  let handler: Promise<ReturnType<typeof documentHandler>> | undefined;
  return async (scope) => {
    handler ??= toYaml(json).then((content) => documentHandler(content, 'application/yaml'));
    await (await handler)(scope);
  };
}

async function toYaml(json: string): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(JSON.parse(json), { lineWidth: 0 });
}

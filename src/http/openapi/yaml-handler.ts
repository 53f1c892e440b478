import type { Exchange } from '../exchange.ts';
import { DATA_HEADERS } from '../response/security-headers.ts';
import { sendResponse } from '../response/send-response.ts';

/**
 * Creates the handler that serves a document as YAML (RFC 9512).
 * @param json the document; converted at the first request, since few processes get one
 */
export function yamlHandler(json: string): (exchange: Exchange) => Promise<void> {
  let yaml: Promise<string> | undefined;
  return async (exchange) => {
    yaml ??= toYaml(json);
    sendResponse(exchange, {
      status: 200,
      headers: [...DATA_HEADERS, 'Content-Type', 'application/yaml'],
      body: await yaml,
    });
  };
}

async function toYaml(json: string): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(JSON.parse(json), { lineWidth: 0 });
}

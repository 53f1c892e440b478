import type { FastifyReply, FastifyRequest } from 'fastify';
import { lazy } from '../../platform/lazy.ts';
import { documentHandler } from '../response/send-response.ts';

/**
 * Creates the handler that serves a document as YAML (RFC 9512).
 * @param json returns the document; converted at the first request, since few processes get one
 */
export function yamlHandler(json: () => string) {
  const handler = lazy(async () => documentHandler(await toYaml(json()), 'application/yaml'));
  return async (request: FastifyRequest, reply: FastifyReply) => (await handler())(request, reply);
}

async function toYaml(json: string): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(JSON.parse(json), { lineWidth: 0 });
}

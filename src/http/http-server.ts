import { createListener, type HttpServer } from './http-listener.ts';
import type { HttpServerOptions } from './http-server-options.ts';
import { createDispatch } from './request-dispatch.ts';

/** Creates the HTTP server for REST, GraphQL, their documents, the pages and the health endpoint. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { host, port } = options.config;
  return createListener({ ...options, dispatch: createDispatch(options), host, port });
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

// biome-ignore lint/suspicious/noExplicitAny: a fault changes any part of any response
export type Body = any;

export interface SidecarCall {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  authorization: string | undefined;
}

/** Deviations from the reference sidecar; a new one for each fake, because some have a state. */
export interface SidecarFault {
  /** Replaces the call; null to answer with 200 and an empty object without forwarding it. */
  rewrite?(call: SidecarCall): SidecarCall | null;
  /** Replaces the response. */
  respond?(call: SidecarCall, response: { status: number; body: Body }): { status: number; body: Body };
  delayMs?: number;
}

/** Starts a sidecar that forwards calls to another one, with a fault. */
export async function startFaultySidecar(target: string, { rewrite, respond, delayMs = 0 }: SidecarFault) {
  const forward = async ({ method, path, query, body, authorization }: SidecarCall) => {
    const search = query.toString();
    const response = await fetch(`${target}${path}${search && `?${search}`}`, {
      method,
      headers: {
        ...(authorization && { authorization }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body }),
    });
    return { status: response.status, body: await response.json() };
  };

  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://sidecar');
    let body = '';
    for await (const chunk of req) body += chunk;
    const { authorization } = req.headers;
    const call = { method: req.method ?? '', path: pathname, query: searchParams, body, authorization };
    await sleep(delayMs);
    const forwarded = rewrite ? rewrite(call) : call;
    const response = forwarded ? await forward(forwarded) : { status: 200, body: {} };
    const answer = respond?.(call, response) ?? response;
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

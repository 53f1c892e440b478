import type { FastifyReply, FastifyRequest } from 'fastify';
import { respondPage } from '../response/send-response.ts';
import { PAGES } from './page-navigation.ts';

const LINKS = [
  ...PAGES,
  {
    path: '/api/health',
    name: 'Health',
    description: 'Status of the service, its database and its sidecar',
  },
];

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 36rem; margin: 12vh auto; padding: 0 1.5rem }
h1 { font-size: 1.6rem; letter-spacing: -0.01em }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.5rem 1.5rem }
dt { font-weight: 600 }
dd { margin: 0; opacity: 0.8 }`;

const rows = LINKS.map(
  ({ path, name, description }) => `<dt><a href="${path}">${name}</a></dt><dd>${description}</dd>`,
).join('\n');

/** `GET /` without the console: links to every surface. */
export function indexPage(_request: FastifyRequest, reply: FastifyReply): void {
  const body = respondPage(
    reply,
    (nonce) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Customer engagement service</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>Customer engagement service</h1>
<dl>
${rows}
</dl>
</main>
</body>
</html>
`,
  );
  reply.send(body);
}

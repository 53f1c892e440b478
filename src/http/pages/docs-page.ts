import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import swagger from 'swagger-ui-dist/package.json' with { type: 'json' };
import { respondPage } from '../response/send-response.ts';
import { pageNavigation } from './page-navigation.ts';
import { type Asset, fileAsset } from './static-assets.ts';

/** File of Swagger UI, from the installed package. */
const swaggerFile = (name: string, type: string): Asset =>
  fileAsset({
    path: `/docs/assets/${swagger.version}/${name}`,
    type,
    file: () => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)),
  });

const CSS = swaggerFile('swagger-ui.css', 'text/css; charset=utf-8');
const JS = swaggerFile('swagger-ui-bundle.js', 'text/javascript; charset=utf-8');

/** Files of the documentation pages. */
export const DOCS_ASSETS: readonly Asset[] = [CSS, JS];

/** Applies the color scheme selected in the console; by default, the system's scheme. */
const DARK_MODE_SCRIPT = `
const system = matchMedia('(prefers-color-scheme: dark)');
function applyColorScheme() {
  let selected = null;
  try { selected = localStorage.getItem('engagement.color-scheme'); } catch {}
  const dark = selected === 'dark' || (selected !== 'light' && system.matches);
  document.documentElement.classList.toggle('dark-mode', dark);
}
applyColorScheme();
system.addEventListener('change', applyColorScheme);`;

/**
 * Swagger UI has styles for `dark-mode`, but not for the page and the names of headers. The names of webhooks are also
 * their summaries, which linters of OpenAPI require and Swagger UI shows beside the names. The column of links, which
 * the documents do not have, makes an expanded operation wider than a phone.
 */
const STYLE = `
body { margin: 0; background: #fff }
.dark-mode body { background: #1c2022; color-scheme: dark }
.dark-mode .swagger-ui .headers-wrapper .header-col { color: #e4e6e6 }
.swagger-ui .webhooks .opblock-summary-description { display: none }
.swagger-ui .response-col_links { display: none }`;

/** Swagger UI does not render webhooks by reference, and shows them in a part of their own in addition to their tag. */
const WEBHOOKS_SCRIPT = `
function inlineWebhooks(response) {
  if (!response.url.endsWith('/openapi.json')) return response;
  const api = JSON.parse(response.text);
  for (const [name, { $ref }] of Object.entries(api.webhooks ?? {}))
    api.webhooks[name] = api.components.pathItems[$ref.split('/').at(-1)];
  api.tags = api.tags.filter(({ name }) => name !== 'Webhooks');
  response.text = JSON.stringify(api);
  return response;
}`;

interface DocsPage {
  title: string;
  path: string;
  /** Path of the OpenAPI document. */
  documentPath: string;
}

/** Adds the page that renders an OpenAPI document, from local files only (contract 5). */
export function addDocsPage(app: FastifyInstance, { title, path, documentPath }: DocsPage): void {
  const options = JSON.stringify({
    url: documentPath,
    dom_id: '#docs',
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    // Disables the badge, which would send the document's URL to an external validator.
    validatorUrl: null,
  });
  const render = (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${CSS.path}">
<style nonce="${nonce}">${STYLE}
</style>
<script nonce="${nonce}">${DARK_MODE_SCRIPT}
</script>
</head>
<body>
${pageNavigation(path, nonce)}
<noscript>This page requires JavaScript; the document is at <a href="${documentPath}">${documentPath}</a>.</noscript>
<div id="docs"></div>
<script src="${JS.path}"></script>
<script nonce="${nonce}">${WEBHOOKS_SCRIPT}
SwaggerUIBundle({ ...${options}, responseInterceptor: inlineWebhooks })</script>
</body>
</html>
`;
  app.get(path, { config: { cors: false } }, (_request, reply) => reply.send(respondPage(reply, render)));
}

import { fileURLToPath } from 'node:url';
import swagger from 'swagger-ui-dist/package.json' with { type: 'json' };
import type { Exchange } from '../exchange.ts';
import { sendPage } from '../response/send-response.ts';
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

/** Creates the page that renders an OpenAPI document, from local files only (contract 5). */
export function docsPage(title: string, documentPath: string) {
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
</head>
<body>
<noscript>This page requires JavaScript; the document is at <a href="${documentPath}">${documentPath}</a>.</noscript>
<div id="docs"></div>
<script src="${JS.path}"></script>
<script nonce="${nonce}">SwaggerUIBundle(${options})</script>
</body>
</html>
`;
  return (exchange: Exchange): void => sendPage(exchange, render);
}

import { Worker } from 'node:worker_threads';
import manifest from '@graphql-yoga/render-graphiql/package.json' with { type: 'json' };
import type { Asset } from '../pages/static-assets.ts';
import { EXAMPLES } from './examples/graphiql-examples.ts';

/** CSP directives that the page requires in addition to its nonce: the editor runs blobs and positions lines by style attributes. */
export const GRAPHIQL_CSP: readonly string[] = [
  'worker-src blob:',
  'font-src data:',
  "style-src-attr 'unsafe-inline'",
];

interface Bundle {
  css: Uint8Array;
  js: Uint8Array;
}

let bundle: Promise<Bundle> | undefined;

/** Compresses the bundle once, on first use, in a worker: it costs half a second and 50 MB that most processes never need. */
function loadBundle(): Promise<Bundle> {
  bundle ??= new Promise<Bundle>((resolve, reject) => {
    new Worker(new URL('./graphiql-bundle.ts', import.meta.url))
      .once('message', resolve)
      .once('error', reject);
  });
  return bundle;
}

const BASE = `/graphql/assets/${manifest.version}`;
const CSS: Asset = {
  path: `${BASE}/graphiql.css`,
  type: 'text/css; charset=utf-8',
  gzip: async () => (await loadBundle()).css,
};
const JS: Asset = {
  path: `${BASE}/graphiql.js`,
  type: 'text/javascript; charset=utf-8',
  gzip: async () => (await loadBundle()).js,
};

/** Serializes JSON for use within a script element. */
const inlineJson = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');

/** Script that adds the nonce to style elements which the editor creates, so that the CSP needs no `unsafe-inline`. */
const nonceScript = (nonce: string) => `
const create = Document.prototype.createElement;
Document.prototype.createElement = function (...args) {
  const element = create.apply(this, args);
  if (element instanceof HTMLStyleElement) element.nonce = ${inlineJson(nonce)};
  return element;
};`;

/** The editor copies the query into the address of the page, which would then be that of an operation (contract 12). */
const ADDRESS_SCRIPT = 'history.replaceState = () => {};';

interface GraphiQLOptions {
  /** Prefilled as the `Authorization` header for local users; null leaves it to the user. */
  demoReadKey: string | null;
}

/** Options of the editor as JSON. */
function pageOptions(demoReadKey: string | null): string {
  const headers = JSON.stringify({ Authorization: `Bearer ${demoReadKey ?? ''}` }, null, 2);
  return inlineJson({
    title: 'Engagement',
    endpoint: '/graphql',
    method: 'POST',
    headers,
    defaultTabs: EXAMPLES.map(({ query, variables }) => ({
      query,
      variables: JSON.stringify(variables, null, 2),
      headers,
    })),
    // Keeps API keys out of the browser's storage.
    shouldPersistHeaders: false,
    // Restored tabs have no headers; the demo key still applies to them.
    ...(demoReadKey && { additionalHeaders: { Authorization: `Bearer ${demoReadKey}` } }),
    defaultEditorToolsVisibility: 'headers',
  });
}

/** GraphiQL, served from local files only. */
export function graphiqlPage({ demoReadKey }: GraphiQLOptions) {
  const plain = pageOptions(null);
  const prefilled = pageOptions(demoReadKey);
  return {
    assets: [CSS, JS],
    page: (nonce: string, { local }: { local: boolean }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${CSS.path}">
</head>
<body class="no-focus-outline">
<noscript>GraphiQL requires JavaScript.</noscript>
<div id="root"></div>
<script nonce="${nonce}">${nonceScript(nonce)}
${ADDRESS_SCRIPT}</script>
<script nonce="${nonce}" src="${JS.path}"></script>
<script nonce="${nonce}">YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), ${local ? prefilled : plain});</script>
</body>
</html>
`,
  };
}

/** The page of a service that executes trusted documents only: GraphiQL could execute none of its own. */
export const GRAPHIQL_NOTICE = {
  assets: [],
  page: () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphQL</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>GraphiQL is not available</h1>
<p>This service executes only the GraphQL documents of its console (<code>GRAPHQL_DOCUMENTS=trusted</code>).
The REST APIs are documented at <a href="/api/v1/docs">/api/v1/docs</a> and <a href="/v1/docs">/v1/docs</a>.</p>
</body>
</html>
`,
};

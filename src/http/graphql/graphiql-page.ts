import { Worker } from 'node:worker_threads';
import manifest from '@graphql-yoga/render-graphiql/package.json' with { type: 'json' };
import { EXAMPLES } from './examples/graphiql-examples.ts';

/** CSP directives that the page needs beside its nonce: the editor works in blobs, and places lines by style attributes. */
export const GRAPHIQL_CSP: readonly string[] = [
  'worker-src blob:',
  'font-src data:',
  "style-src-attr 'unsafe-inline'",
];

/** A file that the page loads; the same for as long as its path is. */
export interface GraphiQLAsset {
  path: string;
  type: string;
  /** The content, packed; made on first use. */
  gzip(): Promise<Uint8Array>;
}

export interface GraphiQL {
  /** The GraphiQL page of GET /graphql, for anybody. @param nonce of its CSP, which needs `GRAPHIQL_CSP`, too */
  page(nonce: string): string;
  /** The page's files, for anybody, to be served as immutable and with `Content-Encoding: gzip`. */
  assets: readonly GraphiQLAsset[];
}

interface Bundle {
  css: Uint8Array;
  js: Uint8Array;
}

let bundle: Promise<Bundle> | undefined;

/** Once in a process, in a thread of its own: it takes half a second and 50 MB, and most processes never show the page. */
function loadBundle(): Promise<Bundle> {
  bundle ??= new Promise<Bundle>((resolve, reject) => {
    new Worker(new URL('./graphiql-bundle.ts', import.meta.url))
      .once('message', resolve)
      .once('error', reject);
  });
  return bundle;
}

const BASE = `/graphql/assets/${manifest.version}`;
const CSS: GraphiQLAsset = {
  path: `${BASE}/graphiql.css`,
  type: 'text/css; charset=utf-8',
  gzip: async () => (await loadBundle()).css,
};
const JS: GraphiQLAsset = {
  path: `${BASE}/graphiql.js`,
  type: 'text/javascript; charset=utf-8',
  gzip: async () => (await loadBundle()).js,
};

/** JSON that can stand in a script element. */
const inline = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');

/** The editor makes style elements as it goes; they get the nonce, so that the CSP needs no `unsafe-inline` for them. */
const nonceStyles = (nonce: string) => `
const create = Document.prototype.createElement;
Document.prototype.createElement = function (...args) {
  const element = create.apply(this, args);
  if (element instanceof HTMLStyleElement) element.nonce = ${inline(nonce)};
  return element;
};`;

/**
 * GraphiQL with nothing from elsewhere.
 * @param demoReadKey filled in as the `Authorization` header; null: left for whoever looks to fill in
 */
export function graphiql(demoReadKey: string | null): GraphiQL {
  const headers = JSON.stringify({ Authorization: `Bearer ${demoReadKey ?? ''}` }, null, 2);
  const options = inline({
    title: 'Engagement',
    endpoint: '/graphql',
    method: 'POST',
    headers,
    defaultTabs: EXAMPLES.map(({ query, variables }) => ({
      query,
      variables: JSON.stringify(variables, null, 2),
      headers,
    })),
    // Keys are not to be found on the disk of whoever typed them.
    shouldPersistHeaders: false,
    // Tabs come back without their headers; the demo key need not be typed again.
    ...(demoReadKey && { additionalHeaders: { Authorization: `Bearer ${demoReadKey}` } }),
    defaultEditorToolsVisibility: 'headers',
  });
  return {
    assets: [CSS, JS],
    page: (nonce) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${CSS.path}">
</head>
<body class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
<script nonce="${nonce}">${nonceStyles(nonce)}</script>
<script nonce="${nonce}" src="${JS.path}"></script>
<script nonce="${nonce}">YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), ${options});</script>
</body>
</html>
`,
  };
}

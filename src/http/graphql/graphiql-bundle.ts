import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import {
  css,
  editorWorkerService,
  graphqlWorker,
  js,
  jsonWorker,
} from '@graphql-yoga/render-graphiql/graphiql';

/*
 * Program of a worker thread: compresses GraphiQL's style and script, posts them and exits, which frees its memory.
 * render-graphiql itself would inline all 9 MB into the page, where no browser could cache them.
 */

const workers = JSON.stringify({ editorWorkerService, graphql: graphqlWorker, json: jsonWorker });

/** The editor requests its workers by label; the script contains them as text. */
const script = `
const workerTexts = ${workers};
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) =>
    URL.createObjectURL(new Blob([workerTexts[label]], { type: 'application/javascript' })),
};
${js};`;

/** Works around a bug: GraphiQL leaves a transform on each tab after its animation, so the first click misses the tab. */
const style = `${css}
.graphiql-tab { transform: none !important }`;

parentPort?.postMessage({ css: gzipSync(style), js: gzipSync(script) });

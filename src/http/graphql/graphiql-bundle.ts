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
 * A worker's whole program: packs GraphiQL's style and script, hands them over and ends; its memory ends with it.
 * render-graphiql would put all of it, 9 MB, into the page itself, where no browser could keep it.
 */

const workers = JSON.stringify({ editorWorkerService, graphql: graphqlWorker, json: jsonWorker });

/** The editor asks for its workers by label; they are in the script as text. */
const script = `
const workerTexts = ${workers};
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) =>
    URL.createObjectURL(new Blob([workerTexts[label]], { type: 'application/javascript' })),
};
${js};`;

/**
 * GraphiQL slides each tab to its place, and forgets to take the shift back: under the first click the tab would jump
 * away, and the click be lost.
 */
const style = `${css}
.graphiql-tab { transform: none !important }`;

parentPort?.postMessage({ css: gzipSync(style), js: gzipSync(script) });

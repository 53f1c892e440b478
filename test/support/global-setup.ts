import type { TestProject } from 'vitest/node';
import { startTestMongo } from './mongo.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The replica set of one member that all tests share, each file with a database of its own. */
    mongoUri: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mongo = await startTestMongo({ inMemory: true });
  project.provide('mongoUri', mongo.uri);
  return mongo.stop;
}

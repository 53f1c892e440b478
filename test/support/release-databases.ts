import { afterAll, type RunnerTask } from 'vitest';
import { forgetDatabases, releaseDatabases } from './databases.ts';

const hasFailed = (task: RunnerTask): boolean =>
  task.result?.state === 'fail' || ('tasks' in task && task.tasks.some(hasFailed));

// Files can share this process, and the last one may have ended in a hook that failed before the release.
forgetDatabases();
// Runs after the hooks of the file, so the service has stopped. A failed test may have left indexes, or requests in
// progress.
// biome-ignore lint/correctness/noEmptyPattern: Vitest requires a pattern of the fixtures that a hook uses
afterAll(async ({}, file) => {
  if (!hasFailed(file)) await releaseDatabases();
});

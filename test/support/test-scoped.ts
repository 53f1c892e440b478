import { onTestFinished } from 'vitest';
import { startApp, type TestApp } from './app.ts';
import { type ServiceProcess, sharedDataDir, startProcess } from './process.ts';

// A service that outlives a failed test loads the machine and disturbs the retry of the test.

/** Starts an app that stops with the test, if the test has not stopped it. */
export async function appOfTest(...options: Parameters<typeof startApp>): Promise<TestApp> {
  const app = await startApp(...options);
  onTestFinished(() => app.stop());
  return app;
}

/** Starts a process that is killed with the test, if the test has not ended it. */
export async function processOfTest(...options: Parameters<typeof startProcess>): Promise<ServiceProcess> {
  const starting = startProcess(...options);
  // Registered before it is up: the test may fail while it starts, such as by the start of another process.
  onTestFinished(async () => {
    const service = await starting.catch(() => null);
    await service?.end('SIGKILL');
  });
  return starting;
}

/** Returns a data directory that is removed with the test, after the services started later have ended. */
export async function dataDirOfTest(): Promise<string> {
  const dataDir = await sharedDataDir();
  onTestFinished(() => dataDir[Symbol.asyncDispose]());
  return dataDir.path;
}

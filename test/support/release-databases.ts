import { afterAll } from 'vitest';
import { releaseDatabases } from './databases.ts';

// Runs after the hooks of the file, so the service has stopped.
afterAll(releaseDatabases);

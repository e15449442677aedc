import type { TestProject } from 'vitest/node';

import { startPostgres } from '../../../scripts/start-postgres.mjs';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be added to
  interface ProvidedContext {
    /** The address of the database of which the tests' own databases are made. */
    readonly postgresUrl: string;
  }
}

/** One server for all files of a run, started when the first project needs it. */
export default async function startServer(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}

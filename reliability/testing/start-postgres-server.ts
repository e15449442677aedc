import { startPostgres } from '../../scripts/start-postgres.mjs';
import { serverVariable } from './databases.ts';

/** One PostgreSQL for all files of a run, whose commits are on disk. */
export default async function startServer(): Promise<() => Promise<void>> {
  const server = await startPostgres({ fsync: true });
  process.env[serverVariable] = server.url;
  return () => server.stop();
}

/**
 * The contract of the store and of the writer of flights, on a PostgreSQL: what every other room builds on. `npm test` runs it; the
 * other lists are run by `npm run test:all`.
 */
export const contractFiles = [
  'src/store/postgres/**/*.test.ts',
  'src/store/{group-commit,search-tables,one-of}.test.ts',
  'src/recorder/writer/flight-writer.test.ts',
  'src/recorder/writer/postgres/**/*.test.ts',
];

/** Files that start a PostgreSQL of their own, which they stop, or end. */
export const ownPostgresFiles = [
  'src/command/move/move-tables.test.ts',
  'src/command/read-api/open-source.test.ts',
  'src/operator/commands/postgres-backup.test.ts',
  'src/reports/kept/keep.test.ts',
];

/**
 * The other test files that run a second time on PostgreSQL: all of what stores something. A test of one of them that is about SQLite's
 * own file says so and is skipped. Files that are about SQLite alone, as a whole, are in sqlite-alone.ts, with the reason; a test
 * compares the lists with the files there are.
 */
export const postgresFiles = [
  'src/recorder/{apps,count-hits,earlier-flights,flights-around}.test.ts',
  'src/recorder/for-operator/{rank-routes,sort-flights}.test.ts',
  'src/recorder/watch/start-watch.test.ts',
  'src/middleware/read-api.test.ts',
  'src/actions/fault-actions.test.ts',
  'src/alerts/alerts.test.ts',
  'src/apps/apps.test.ts',
  'src/apps/delete-app.test.ts',
  'src/apps/for-operator/read-apps.test.ts',
  'src/middleware/access.test.ts',
  'src/middleware/app-announcement.test.ts',
  'src/middleware/app-errors.test.ts',
  'src/middleware/feedback.test.ts',
  'src/middleware/flight-usage.test.ts',
  'src/middleware/login.test.ts',
  'src/middleware/not-through-apps.test.ts',
  'src/middleware/receive-flights.test.ts',
  'src/middleware/sdk-reports.test.ts',
  'src/middleware/source-maps.test.ts',
  'src/middleware/tunnel.test.ts',
  'src/operator/login-links.test.ts',
  'src/operator/password.test.ts',
  'src/reports/evict-rows.test.ts',
  'src/reports/faults/count-news.test.ts',
  'src/reports/faults/evict-faults.test.ts',
  'src/reports/faults/find-by-id.test.ts',
  'src/reports/faults/find-fault-page.test.ts',
  'src/reports/faults/give-faults.test.ts',
  'src/reports/faults/index-in-background.test.ts',
  'src/reports/faults/list-faults.test.ts',
  'src/reports/faults/merge-faults.test.ts',
  'src/reports/faults/note-row.test.ts',
  'src/reports/faults/read-kept.test.ts',
  'src/reports/faults/triage.test.ts',
  'src/reports/feedback/feedback.test.ts',
  'src/reports/find-digest.test.ts',
  'src/reports/ingest-envelope.test.ts',
  'src/reports/queries.test.ts',
  'src/reports/record-error.test.ts',
  'src/reports/report-budget.test.ts',
  'src/reports/report-size.test.ts',
  'src/reports/retention.test.ts',
  'src/reports/scrubbing/own-keys.test.ts',
  'src/reports/scrubbing/rescrub.test.ts',
  'src/reports/source-maps/evict-maps.test.ts',
  'src/reports/source-maps/keep-app-maps.test.ts',
  'src/reports/source-maps/keep-chunks.test.ts',
  'src/reports/source-maps/keep-in-database.postgres.test.ts',
  'src/reports/source-maps/keep-own-maps.test.ts',
  'src/reports/source-maps/read-uploads.test.ts',
  'src/reports/thin-fault.test.ts',
  'src/command/follow-policy.postgres.test.ts',
  'src/metrics/metrics.test.ts',
  'src/operator/tokens.test.ts',
  'src/reports/stored-errors.test.ts',
];

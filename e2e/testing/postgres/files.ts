/**
 * The contract of the store and of the writer of flights, on a PostgreSQL: what every other room builds on. `npm test` runs it; the
 * other lists are run by `npm run test:all`.
 */
export const contractFiles = [
  'src/store/postgres/**/*.test.ts',
  'src/store/{group-commit,one-of}.test.ts',
  'src/flights/writer/flight-writer.test.ts',
  'src/flights/writer/postgres/**/*.test.ts',
];

/** Files that start a PostgreSQL of their own, which they stop, or end. */
export const ownPostgresFiles = [
  'src/command/move/move-tables.test.ts',
  'src/command/read-api/open-source.test.ts',
  'src/access/commands/postgres-backup.test.ts',
  'src/faults/kept/keep.test.ts',
];

/**
 * The other test files that run a second time on PostgreSQL: all of what stores something. A test of one of them that is about SQLite's
 * own file says so and is skipped. Files that are about SQLite alone, as a whole, are in sqlite-alone.ts, with the reason; a test
 * compares the lists with the files there are.
 */
export const postgresFiles = [
  'src/store/search-tables.test.ts',
  'src/flights/recorder/{apps,count-hits,earlier-flights,flights-around}.test.ts',
  'src/flights/for-operator/{build-figures,find-next-build,rank-routes,read-route-time,sort-flights}.test.ts',
  'src/flights/watch/start-watch.test.ts',
  'src/api/middleware/read-api.test.ts',
  'src/api/answers/{list-routes,read-flight}.test.ts',
  'src/faults/actions/fault-actions.test.ts',
  'src/faults/alerts/{alerts,tell-builds,tell-leaks,tell-slow-routes,tell-storms,tell-tries}.test.ts',
  'src/apps/apps.test.ts',
  'src/apps/delete-app.test.ts',
  'src/apps/for-operator/read-apps.test.ts',
  'src/access/middleware/access.test.ts',
  'src/apps/middleware/app-announcement.test.ts',
  'src/faults/middleware/app-errors.test.ts',
  'src/faults/middleware/feedback.test.ts',
  'src/flights/middleware/flight-usage.test.ts',
  'src/access/middleware/login.test.ts',
  'src/apps/middleware/not-through-apps.test.ts',
  'src/flights/middleware/receive-flights.test.ts',
  'src/flights/middleware/receive-traces.test.ts',
  'src/faults/middleware/sdk-reports.test.ts',
  'src/faults/middleware/source-maps.test.ts',
  'src/faults/middleware/tunnel.test.ts',
  'src/access/login-links.test.ts',
  'src/access/password.test.ts',
  'src/faults/builds/{join-chunk-error,store-old-tabs}.test.ts',
  'src/faults/digests/evict-past-digests.test.ts',
  'src/faults/kept/evict-rows.test.ts',
  'src/faults/grouping/count-unseen.test.ts',
  'src/faults/grouping/evict-faults.test.ts',
  'src/faults/grouping/find-by-id.test.ts',
  'src/faults/grouping/find-fault-page.test.ts',
  'src/faults/grouping/follow-hashes.test.ts',
  'src/faults/grouping/give-waiting.test.ts',
  'src/faults/grouping/index-in-background.test.ts',
  'src/faults/grouping/list-faults.test.ts',
  'src/faults/grouping/merge-faults.test.ts',
  'src/faults/grouping/note-row.test.ts',
  'src/faults/grouping/read-kept.test.ts',
  'src/faults/grouping/split-by.test.ts',
  'src/faults/grouping/triage.test.ts',
  'src/faults/feedback/feedback.test.ts',
  'src/faults/digests/choose-error.test.ts',
  'src/faults/digests/find-digest.test.ts',
  'src/faults/digests/find-error-details.test.ts',
  'src/faults/digests/list-without-digest.test.ts',
  'src/faults/receive/ingest-envelope.test.ts',
  'src/faults/kept/write-kept.test.ts',
  'src/faults/kept/queries.test.ts',
  'src/faults/kept/record-error.test.ts',
  'src/faults/receive/untrusted-budget.test.ts',
  'src/faults/receive/report-size.test.ts',
  'src/faults/kept/retention.test.ts',
  'src/faults/scrubbing/own-keys.test.ts',
  'src/faults/scrubbing/rescrub.test.ts',
  'src/faults/source-maps/evict-maps.test.ts',
  'src/faults/source-maps/keep-app-maps.test.ts',
  'src/faults/source-maps/keep-chunks.test.ts',
  'src/faults/source-maps/keep-in-database.postgres.test.ts',
  'src/faults/source-maps/keep-own-maps.test.ts',
  'src/faults/source-maps/read-uploads.test.ts',
  'src/faults/source-maps/resolve-app-frames.test.ts',
  'src/faults/kept/thin-fault.test.ts',
  'src/command/follow-policy.postgres.test.ts',
  'src/api/metrics/metrics.test.ts',
  'src/access/tokens.test.ts',
  'src/faults/kept/stored-errors.test.ts',
  'src/command/start/{follow-builds,follow-failed-answers}.test.ts',
];

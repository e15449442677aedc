import 'server-only';

/**
 * What may be uploaded. A body has at most 1 MiB at this server, so a chunk is the largest power of two that fits into one with its
 * multipart frame: each request has one.
 */
export const uploadLimits = {
  chunkBytes: 512 * 1024,
  /** A bundle is packed: the maps of a large app have a fifth of it. */
  bundleBytes: 64 * 1024 * 1024,
  /** Chunks that wait for the rest of their bundle, of one app: those of two bundles. */
  waitingBytes: 128 * 1024 * 1024,
  /** As long as the CLI may take for a bundle on a slow line. */
  waitingMs: 3600 * 1000,
  /** A release name in Sentry has at most 250 characters. */
  longestRelease: 250,
} as const;

/** Stands in for `server-only` in unit tests, where there is no build to enforce it. */
export const serverOnly = true;

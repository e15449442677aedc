import 'server-only';

/** In place of start-flights.ts in an app that records none: a bundler would build what that imports later even where nothing calls it. */
export const startFlights = undefined;

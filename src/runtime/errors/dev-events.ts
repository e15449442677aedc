/** A message from the dev server to the pages: a file of the project changed, whether it now compiles or not. */
export const changedEvent = 'flight-recorder:changed';

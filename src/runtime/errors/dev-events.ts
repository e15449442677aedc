/** Development's dev server to the pages: a file of the project changed, mended or not. */
export const changedEvent = 'flight-recorder:changed';

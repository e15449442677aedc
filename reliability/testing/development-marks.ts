/** Texts that stand in a page or in a script only in development. */
export const developmentMarks = /flight-recorder:changed|data-flight-cause|vite-error-overlay|@vite\/client/;

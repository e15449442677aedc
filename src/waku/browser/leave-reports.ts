/** In the place of report-errors.ts where browsers do not report. A bundler keeps a dynamic import whatever a constant says. */
export const startReports = undefined;

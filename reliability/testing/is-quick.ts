/** Whether a test that repeats something does so a few times, as a part of `npm run test:all`; else as often as a night has room for. */
export const isQuick = process.env['RELIABILITY'] !== undefined;

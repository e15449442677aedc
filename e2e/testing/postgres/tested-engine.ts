/** Which engine this run of a test file is about. For the few tests that are about one engine's own means. */
export const testedEngine = process.env['TESTED_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';

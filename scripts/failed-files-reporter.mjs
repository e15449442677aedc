import { writeFileSync } from 'node:fs';

/**
 * For Vitest: writes the files that failed, as JSON, to the file that `FAILED_FILES` names. None where an error happened outside of
 * every test: no file is then known to be its cause.
 */
export default function createReporter() {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const failed = modules.filter((module) => module.state() !== 'passed' && module.state() !== 'skipped');
      // A file whose process was killed has no result, and one unhandled error.
      const killed = failed.filter((module) => module.state() !== 'failed');
      const isKnown = unhandledErrors.length <= killed.length;
      writeFileSync(process.env.FAILED_FILES, JSON.stringify(isKnown ? failed.map(({ moduleId }) => moduleId) : []));
    },
  };
}

import { writeFileSync } from 'node:fs';

import { describeFailure } from './stage-results.mjs';

function describeModule(module) {
  const tests = [...module.children.allTests()];
  const failed = tests.filter((test) => test.result().state === 'failed');
  const suites = [...module.children.allSuites()];
  // Hooks and the file itself: their tests have no result of their own.
  const around = [module, ...suites].flatMap((part) => part.errors().map((error) => [part.fullName ?? '', error]));
  return {
    file: module.moduleId,
    // A file whose process was killed has no result.
    wasKilled: !['passed', 'skipped', 'failed'].includes(module.state()),
    passed: tests.filter((test) => test.result().state === 'passed').length,
    skipped: tests.filter((test) => !['passed', 'failed'].includes(test.result().state)).length,
    failures: [
      ...failed.map((test) => describeFailure(module.moduleId, test.fullName, test.result().errors[0])),
      ...around.map(([name, error]) => describeFailure(module.moduleId, name, error)),
    ],
  };
}

/** For Vitest: writes what each file came to, and what failed outside of every test, as JSON to the file that `VITEST_RESULTS` names. */
export default function createReporter() {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const results = {
        files: modules.map(describeModule),
        outside: unhandledErrors.map((error) => describeFailure('', 'outside of every test', error)),
      };
      writeFileSync(process.env.VITEST_RESULTS, JSON.stringify(results));
    },
  };
}

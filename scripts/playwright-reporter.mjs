import { describeFailure, writeStageResults } from './stage-results.mjs';

function describeTest(test) {
  const firstError = test.results.find((result) => result.error)?.error;
  return describeFailure(test.location.file, test.titlePath().slice(3).join(' › '), firstError);
}

/** For Playwright: what the journeys came to (stage-results.mjs). One that passed when it was tried again has passed, and is named. */
export default class StageReporter {
  #suite;

  onBegin(_config, suite) {
    this.#suite = suite;
  }

  onEnd() {
    const byOutcome = Map.groupBy(this.#suite.allTests(), (test) => test.outcome());
    const list = (outcome) => byOutcome.get(outcome) ?? [];
    writeStageResults({
      passed: list('expected').length + list('flaky').length,
      skipped: list('skipped').length,
      failures: list('unexpected').map(describeTest),
      retried: list('flaky').map(describeTest),
    });
  }
}

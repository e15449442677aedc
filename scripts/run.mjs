import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { root } from './prepare.mjs';
import { summarize, takeStageResults } from './stage-results.mjs';

function formatTime(from) {
  const seconds = Math.round((performance.now() - from) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Runs `work` as a step that is named, and whose time is kept for the table at the end. */
export function createClock() {
  const begun = performance.now();
  const times = [];
  return {
    async measure(title, work) {
      const from = performance.now();
      console.log(`\n── ${title}`);
      const code = await work();
      const time = formatTime(from);
      times.push([title, code ? `${time}, failed` : time]);
      if (code) console.error(`\n${title}: failed after ${time}`);
      return code;
    },
    printTimes() {
      const width = Math.max(...times.map(([title]) => title.length));
      const lines = [...times, ['in all', formatTime(begun)]].map(
        ([title, time]) => `  ${title.padEnd(width)}  ${time}`,
      );
      console.log(`\n${lines.join('\n')}`);
    },
  };
}

function runNode(node, args, options) {
  return new Promise((resolve, reject) => {
    spawn(node, args, { stdio: 'inherit', ...options })
      .once('error', reject)
      .once('exit', (status) => resolve(status ?? 1));
  });
}

/**
 * Tests start many processes and threads, most from the sources. Node strips the types of each file anew, unless it may keep what it
 * compiled: that more than halves the processor time of a short command.
 */
const compileCache = path.join(root, 'node_modules/.cache/flight-recorder-compiled');

/**
 * Runs each stage (stages.mjs) in turn, and ends with the times, what failed, and the counts. The first stage that fails is the last one,
 * but not in CI: there one run tells all that is wrong.
 */
export async function runStages(node, stages, options, clock = createClock()) {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-stages-'));
  const file = path.join(folder, 'results.json');
  // One seed for all that draws one, so that a run can be repeated.
  const seed = process.env.FLIGHT_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
  const results = [];
  for (const { title, args, env } of stages) {
    const own = { FLIGHT_SEED: seed, STAGE_RESULTS: file, NODE_COMPILE_CACHE: compileCache };
    const variables = { ...(options.env ?? process.env), ...env, ...own };
    const code = await clock.measure(title, () => runNode(node, args, { ...options, env: variables }));
    results.push(takeStageResults(file, { title, hasFailed: code !== 0 }));
    if (code === 0) continue;
    process.exitCode = 1;
    if (!process.env.CI) break;
  }
  rmSync(folder, { recursive: true });
  clock.printTimes();
  console.log([`\nFLIGHT_SEED=${seed} repeats what was random.`, ...summarize(results)].join('\n'));
}

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
  function note(title, from, code) {
    const time = formatTime(from);
    times.push([title, code ? `${time}, failed` : time]);
    if (code) console.error(`\n${title}: failed after ${time}`);
  }
  return {
    async measure(title, work) {
      const from = performance.now();
      console.log(`\n── ${title}`);
      const code = await work();
      note(title, from, code);
      return code;
    },
    /** As `measure`, for what has others beside it: it is named together with what it wrote. */
    async measureApart(title, work) {
      const from = performance.now();
      const { code, output } = await work();
      console.log(`\n── ${title}`);
      process.stdout.write(output);
      note(title, from, code);
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

/** What it writes is printed when it ends, so that what runs beside it writes into none of its lines. */
function runNodeApart(node, args, options) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const child = spawn(node, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child
      .once('error', reject)
      .once('close', (status) => resolve({ code: status ?? 1, output: Buffer.concat(chunks) }));
  });
}

/**
 * Tests start many processes and threads, most from the sources. Node strips the types of each file anew, unless it may keep what it
 * compiled: that more than halves the processor time of a short command.
 */
const compileCache = path.join(root, 'node_modules/.cache/flight-recorder-compiled');

/**
 * Runs each stage (stages.mjs) in turn, those of a list at the same time, and ends with the times, what failed, and the counts. The first
 * stage that fails is the last one, but not in CI: there one run tells all that is wrong, unless the others need what failed.
 */
export async function runStages(node, stages, options, clock = createClock()) {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-stages-'));
  // One seed for all that draws one, so that a run can be repeated.
  const seed = process.env.FLIGHT_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
  const results = [];

  async function runStage({ title, args, env, isNeeded }, isAlone) {
    const file = path.join(folder, `${title.replaceAll(/\W+/g, '-')}.json`);
    const own = { FLIGHT_SEED: seed, STAGE_RESULTS: file, NODE_COMPILE_CACHE: compileCache };
    const ofStage = { ...options, env: { ...(options.env ?? process.env), ...env, ...own } };
    const code = isAlone
      ? await clock.measure(title, () => runNode(node, args, ofStage))
      : await clock.measureApart(title, () => runNodeApart(node, args, ofStage));
    results.push(takeStageResults(file, { title, hasFailed: code !== 0 }));
    if (code === 0) return 'go on';
    process.exitCode = 1;
    return process.env.CI && !isNeeded ? 'go on' : 'end';
  }

  for (const stage of stages) {
    const sideBySide = [stage].flat();
    const next = await Promise.all(sideBySide.map((one) => runStage(one, sideBySide.length === 1)));
    if (next.includes('end')) break;
  }
  rmSync(folder, { recursive: true });
  clock.printTimes();
  console.log([`\nFLIGHT_SEED=${seed} repeats what was random.`, ...summarize(results)].join('\n'));
}

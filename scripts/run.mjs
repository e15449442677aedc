import { spawn } from 'node:child_process';

function formatTime(from) {
  const seconds = Math.round((performance.now() - from) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Runs `work` as a stage that is named, and whose time is kept for the table at the end. In CI a stage that fails does not end the run:
 * one run tells all that is wrong.
 */
export function createStages() {
  const begun = performance.now();
  const times = [];
  return {
    async measure(title, work) {
      const from = performance.now();
      console.log(`\n── ${title}`);
      const code = await work();
      const time = formatTime(from);
      times.push([title, code ? `${time}, failed` : time]);
      if (!code) return;
      console.error(`\n${title}: failed after ${time}`);
      if (!process.env.CI) process.exit(code);
      process.exitCode = 1;
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

/** Runs each stage (stages.mjs) in turn. */
export async function runStages(node, stages, options, clock = createStages()) {
  for (const { title, args, env = {} } of stages) {
    await clock.measure(
      title,
      () =>
        new Promise((resolve, reject) => {
          spawn(node, args, { stdio: 'inherit', ...options, env: { ...(options.env ?? process.env), ...env } })
            .once('error', reject)
            .once('exit', (status) => resolve(status ?? 1));
        }),
    );
  }
  clock.printTimes();
}

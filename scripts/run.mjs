import { spawn } from 'node:child_process';

/** Runs each step in turn, with its own variables besides those of all, and stops at the first that fails. */
export async function runSteps(steps, options) {
  for (const [title, command, args, variables = {}] of steps) {
    console.log(`\n── ${title}`);
    const code = await new Promise((resolve) => {
      spawn(command, args, { stdio: 'inherit', ...options, env: { ...(options.env ?? process.env), ...variables } }).on(
        'exit',
        (status) => resolve(status ?? 1),
      );
    });
    if (code !== 0) {
      console.error(`\n${title}: failed`);
      process.exit(code);
    }
  }
}

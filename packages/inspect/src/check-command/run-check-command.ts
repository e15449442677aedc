import { writeFile } from 'node:fs/promises';

import { describeError } from '#boundary';

import { choosePaint, complain, endWithReader, write } from '../flight-command/output.ts';
import { readCheckArguments, writeCheckUsage } from './check-arguments.ts';
import { severities } from './check-finding.ts';
import { checkSite, type CheckAsked, type SiteCheck } from './check-site.ts';
import { printCheck } from './print-check.ts';
import { writeCheckJson, writeHtml, writeMarkdown } from './write-check.ts';

/** `check <url>`: what can be seen of a site from outside. Only the report goes to standard output. */
const unusable = 2;
const found = 1;

function writeReport(check: SiteCheck, format: 'text' | 'json' | 'markdown'): Iterable<string> {
  switch (format) {
    case 'json':
      return [writeCheckJson(check)];
    case 'markdown':
      return [writeMarkdown(check)];
    case 'text':
      return printCheck(check, choosePaint());
  }
}

/** @param program how the command was called, for its usage */
export async function runCheckCommand(
  words: readonly string[],
  program: string,
  judgeVersions: CheckAsked['judgeVersions'],
): Promise<number> {
  endWithReader();
  const command = readCheckArguments(words);
  if (command.kind === 'help') {
    process.stdout.write(writeCheckUsage(program));
    return 0;
  }
  if (command.kind === 'wrong') {
    complain(command.reason, 'check');
    process.stderr.write(`Try ${program} --help\n`);
    return unusable;
  }
  const { format, html, failOn } = command;
  const check = await checkSite({ ...command, judgeVersions }, (path) => {
    // Progress is for who waits in front of a terminal.
    if (process.stderr.isTTY) complain(`asks ${path}`, 'check');
  });
  if (check.routes.length === 0) {
    for (const { path, reason } of check.failed) complain(`${path}: ${reason}`, 'check');
    return unusable;
  }
  if (html !== undefined) {
    try {
      await writeFile(html, writeHtml(check));
    } catch (error) {
      complain(`${html} cannot be written: ${describeError(error)}`, 'check');
      return unusable;
    }
  }
  await write(writeReport(check, format));
  const worst = failOn === undefined ? -1 : severities.indexOf(failOn);
  return check.findings.some(({ severity }) => severities.indexOf(severity) <= worst) ? found : 0;
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Writes packages/flight/src/secrets/secretlint-rules.ts anew: `node scripts/update-secret-rules.mjs 13.1.0`. The package is not a
 * dependency: of its 230 kB the recorder needs two (decision 081). What each rule looks for is asked of the rule itself, which is
 * given an empty text, and not read from its source.
 */
const name = '@secretlint/secretlint-rule-preset-recommend';
const target = path.join(import.meta.dirname, '../packages/flight/src/secrets/secretlint-rules.ts');

/** Rules that say nothing of a payload: a service account's file, which its private key shows, and comments for the tool. */
const leftOut = new Set(['gcp', 'filter-comments']);
/** An account's number is no secret. */
const leftOutPatterns = /ACCOUNT\|account/;

/** @param {string} version @param {string} folder */
async function loadRules(version, folder) {
  execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${version}`]);
  const root = path.join(folder, 'node_modules', name);
  const { license, main, module } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  if (license !== 'MIT') throw new Error(`The licence is ${license}`);
  const { rules } = await import(pathToFileURL(path.join(root, module ?? main)).href);
  return rules;
}

/** @param {any} rule @returns {Promise<RegExp[]>} */
async function askForPatterns(rule) {
  /** @type {RegExp[]} */
  const asked = [];
  const content = {
    matchAll: (/** @type {RegExp} */ pattern) => {
      asked.push(pattern);
      return [];
    },
  };
  const context = { createTranslator: () => () => '', report() {}, ignore() {} };
  await rule
    .create(context, { enableIDScanRule: true })
    .file?.({ content, filePath: '/a.txt', contentType: 'text', ext: '.txt' });
  return asked;
}

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error(`Which version of ${name}?`);
const folder = mkdtempSync(path.join(tmpdir(), 'flight-secret-rules-'));
try {
  const entries = [];
  for (const rule of await loadRules(version, folder)) {
    const id = rule.meta.id.replace('@secretlint/secretlint-rule-', '');
    if (leftOut.has(id)) continue;
    for (const { source, flags } of await askForPatterns(rule)) {
      if (leftOutPatterns.test(source)) continue;
      entries.push(`  ['${id}', /${source}/${flags}],`);
    }
  }
  const text = `// Written by scripts/update-secret-rules.mjs from ${name} ${version}
// (https://github.com/secretlint/secretlint). Copyright (c) azu, MIT License.

// As the package has them.
// oxlint-disable no-useless-escape

/** What keys of known providers look like: the rule, and what it looks for. */
export const secretlintRules: readonly (readonly [rule: string, pattern: RegExp])[] = [
${entries.join('\n')}
];
`;
  writeFileSync(target, text);
  execFileSync('npx', ['oxfmt', target]);
} finally {
  rmSync(folder, { recursive: true });
}

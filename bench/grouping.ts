import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import type { Grouping } from '#src/runtime/errors/grouping.ts';
import './without-bundler.ts';

/**
 * How far our grouping agrees with that of Sentry, on events that somebody has both from: `npm run bench grouping -- <folder>`.
 * `<folder>/inputs/<name>.json` is an event, `<folder>/expected.json` has Sentry's hashes by name, `{"<name>": ["<hash>"]}`. Sentry
 * puts two events together that share one of their hashes. Sentry's own fixtures are the inputs that docs/grouping.md speaks
 * of; their licence keeps them out of this repository.
 *
 * Events are read as a server's, and grouped by what stores them, without source maps. Of all pairs nearly all are trivially
 * separate, so the pairs that Sentry joins are counted apart.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const [folder] = positionals;
if (folder === undefined) throw new Error('name the folder: npm run bench grouping -- <folder>');

type Event = Readonly<Record<string, unknown>>;
type Input = {
  readonly name: string;
  readonly hashes: readonly string[];
  /** Brings rules of a project's settings along, which nothing here reads. */
  readonly hasRules: boolean;
  readonly grouping: Grouping;
};
type Pair = { readonly a: Input; readonly b: Input; readonly sentryJoins: boolean; readonly weJoin: boolean };

function readRecord(file: string): Event {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${file} has no object`);
  return Object.fromEntries(Object.entries(value));
}

function readHashes(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((hash) => typeof hash === 'string') : [];
}

async function groupEvent(event: Event): Promise<Grouping | undefined> {
  const { readEvent } = await import('#src/faults/event/read-event.ts');
  const { toEvent } = await import('#src/faults/event/to-rows.ts');
  const received = readEvent(event, { side: 'server' });
  if (!received) return undefined;
  return (await toEvent(received, '0'.repeat(32), 'server', { app: 'grouping', header: {}, receivedAt: Date.now() }))
    .grouping;
}

async function readInputs(from: string): Promise<readonly Input[]> {
  const expected = readRecord(path.join(from, 'expected.json'));
  const inputs: Input[] = [];
  for (const file of readdirSync(path.join(from, 'inputs')).toSorted()) {
    const name = path.basename(file, '.json');
    const hashes = readHashes(expected[name]);
    const event = readRecord(path.join(from, 'inputs', file));
    const grouping = await groupEvent(event);
    if (hashes.length === 0 || !grouping) {
      console.log(`left out ${name}: ${grouping ? 'Sentry expects no hash' : 'nothing here would be stored'}`);
      continue;
    }
    inputs.push({ name, hashes, grouping, hasRules: '_grouping' in event || '_fingerprinting_rules' in event });
  }
  return inputs;
}

function listPairs(inputs: readonly Input[]): readonly Pair[] {
  return inputs.flatMap((a, at) =>
    inputs.slice(at + 1).map((b) => ({
      a,
      b,
      sentryJoins: a.hashes.some((hash) => b.hashes.includes(hash)),
      weJoin: a.grouping.fingerprint === b.grouping.fingerprint,
    })),
  );
}

function share(part: number, whole: number): string {
  return `${part} of ${whole}${whole === 0 ? '' : ` (${((100 * part) / whole).toFixed(1)} %)`}`;
}

function printNumbers(title: string, pairs: readonly Pair[]): void {
  const joined = pairs.filter(({ sentryJoins }) => sentryJoins);
  const separated = pairs.filter(({ sentryJoins }) => !sentryJoins);
  const bothJoin = joined.filter(({ weJoin }) => weJoin).length;
  const bothSeparate = separated.filter(({ weJoin }) => !weJoin).length;
  console.log(`\n${title}`);
  console.log(`  agreement, of all pairs         ${share(bothJoin + bothSeparate, pairs.length)}`);
  console.log(`  pairs that Sentry puts together ${share(bothJoin, joined.length)} are together here`);
  console.log(`  pairs that Sentry separates     ${share(bothSeparate, separated.length)} are separate here`);
}

function printInput({ name, grouping, hasRules }: Input): void {
  console.log(`  ${name}${hasRules ? ', with rules of a project' : ''}: by ${grouping.rule}`);
  for (const part of grouping.parts) console.log(`    ${JSON.stringify(part)}`);
}

function printDisagreement({ a, b, weJoin }: Pair): void {
  console.log(weJoin ? '\nmerged here, separate in Sentry' : '\nseparate here, together in Sentry');
  printInput(a);
  printInput(b);
}

/** The app has no source maps in it, but what groups asks for them. */
const data = mkdtempSync(path.join(tmpdir(), 'flight-grouping-'));
process.env['FLIGHT_DATA'] = data;
delete process.env['DATABASE_URL'];
try {
  const inputs = await readInputs(folder);
  const pairs = listPairs(inputs);
  for (const pair of pairs) if (pair.sentryJoins !== pair.weJoin) printDisagreement(pair);
  printNumbers(`${inputs.length} events`, pairs);
  const plain = inputs.filter(({ hasRules }) => !hasRules);
  printNumbers(`${plain.length} events without rules of a project`, listPairs(plain));
} finally {
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(data, { recursive: true, force: true });
}

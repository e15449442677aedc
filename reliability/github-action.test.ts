import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { openFlights } from '#flight';

/** The steps of examples/github-action, as a runner runs them, beside a stub of GitHub's API. What `uses:` names is GitHub's. */
const action = path.join(import.meta.dirname, '../examples/github-action');

type Step = { readonly id: string; readonly run: string; readonly env: ReadonlyMap<string, string> };

/** The steps with `run`: the file is ours, and has one form. */
function readSteps(): Step[] {
  const text = readFileSync(path.join(action, 'action.yml'), 'utf8');
  const [, steps = ''] = text.split('\n  steps:\n');
  return steps.split(/^ {4}- /m).flatMap((step) => {
    const [id = '', run] = [/^id: (\S+)$/m.exec(step)?.[1], /^ {6}run: (.+)$/m.exec(step)?.[1]];
    const env = Array.from(
      step.matchAll(/^ {8}([A-Z_]+): (.+)$/gm),
      ([, name = '', value = '']) => [name, value] as const,
    );
    return run === undefined ? [] : [{ id, run, env: new Map(env) }];
  });
}

/** What the action has for an input that nobody sets. */
function readDefaults(): Map<string, string> {
  const text = readFileSync(path.join(action, 'action.yml'), 'utf8').split('\nruns:')[0] ?? '';
  const inputs = text.matchAll(/^ {2}([\w-]+):\n(?: {4}(?!default)\S.*\n)*(?: {4}default: (.+)\n)?/gm);
  return new Map(
    Array.from(inputs, ([, name = '', value = '']) => [`inputs.${name}`, value.replace(/^'(.*)'$/, '$1')]),
  );
}

/** An app without a framework that writes a page as @vitejs/plugin-rsc's does. */
function writeApp(folder: string, items: number): void {
  mkdirSync(folder, { recursive: true });
  const list = Array.from({ length: items }, (_, id) => ({ id, name: `product ${id}` }));
  const rows = `1:I["7",[],"ProductList"]\n0:["$","main",null,{"children":["$","$L1",null,{"products":${JSON.stringify(list)}}]}]\n`;
  const page = `<!doctype html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(rows)})</script>`;
  const answers = { '/': page, '/_.rsc': rows };
  writeFileSync(
    path.join(folder, 'app.mjs'),
    `import http from 'node:http';\nconst answers = ${JSON.stringify(answers)};\nhttp.createServer((request, response) => response.end(answers[request.url] ?? '')).listen(Number(process.env.PORT), 'localhost');\n`,
  );
}

type Comment = { readonly id: number; readonly user: { readonly type: string }; body: string };

/** GitHub, as far as comments go. */
async function startGitHub(comments: Comment[], mayWrite: boolean) {
  const asked: string[] = [];
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    const { pathname } = new URL(request.url ?? '/', 'http://github.invalid');
    asked.push(`${request.method} ${pathname}`);
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== 'Bearer token-of-the-job') return answer(401, {});
    if (request.method === 'GET') return answer(200, comments);
    if (!mayWrite) return answer(403, { message: 'Resource not accessible by integration' });
    const { body }: { body: string } = JSON.parse(text);
    const own = comments.find(({ id }) => pathname === `/repos/shop/web/issues/comments/${id}`);
    if (request.method === 'PATCH' && own) own.body = body;
    else if (request.method === 'POST') comments.push({ id: comments.length + 40, user: { type: 'Bot' }, body });
    else return answer(404, {});
    return answer(200, {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

type Ended = { readonly code: number | null; readonly output: string };

async function runStep(run: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn('bash', ['-eo', 'pipefail', '-c', run], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()));
  const code: unknown[] = await once(child, 'close');
  return { code: typeof code[0] === 'number' ? code[0] : null, output };
}

/** Runs the action's steps up to one that fails, as a runner does. @returns how each that ran ended */
async function runAction(workspace: string, inputs: Readonly<Record<string, string>>, gitHub: string) {
  const temp = path.join(workspace, 'temp');
  mkdirSync(temp, { recursive: true });
  const known = readDefaults();
  for (const [name, value] of Object.entries(inputs)) known.set(`inputs.${name}`, value);
  known.set('inputs.token', 'token-of-the-job').set('github.event.pull_request.number', '7');
  const ended = new Map<string, Ended>();
  for (const { id, run, env } of readSteps()) {
    const own = Array.from(env, ([name, value]) => {
      const filled = value.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, key: string) => known.get(key) ?? `no ${key}`);
      return [name, filled] as const;
    });
    const outputs = path.join(temp, `${id}.output`);
    const step = await runStep(run, workspace, {
      PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: process.env['HOME'],
      ...Object.fromEntries(own),
      GITHUB_ACTION_PATH: action,
      GITHUB_API_URL: gitHub,
      GITHUB_SERVER_URL: 'https://github.invalid',
      GITHUB_REPOSITORY: 'shop/web',
      GITHUB_RUN_ID: '99',
      GITHUB_OUTPUT: outputs,
      GITHUB_STEP_SUMMARY: path.join(temp, 'summary.md'),
      RUNNER_TEMP: temp,
    });
    ended.set(id, step);
    if (step.code !== 0) break;
    if (!existsSync(outputs)) continue;
    for (const [, name = '', value = ''] of readFileSync(outputs, 'utf8').matchAll(/^(\w+)=(.*)$/gm)) {
      known.set(`steps.${id}.outputs.${name}`, value);
    }
  }
  return ended;
}

function makeWorkspace(before: number, after: number): string {
  const workspace = mkdtempSync(path.join(tmpdir(), 'flight-recorder-action-'));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  writeApp(path.join(workspace, 'base'), before);
  writeApp(path.join(workspace, 'head'), after);
  return workspace;
}

const app = { build: 'node --check app.mjs', start: 'node app.mjs' };

function listCodes(ended: ReadonlyMap<string, Ended>) {
  return Object.fromEntries(Array.from(ended, ([id, { code }]) => [id, code]));
}

/** Whether one of the two apps of a run still answers. */
async function isRunning(workspace: string, side: string): Promise<boolean> {
  const { address }: { address: string } = JSON.parse(
    readFileSync(path.join(workspace, 'temp', `${side}.json`), 'utf8'),
  );
  return await fetch(address).then(
    () => true,
    () => false,
  );
}

test('a pull request gets one comment, which the next run renews, and the file with the viewer', async () => {
  const planted: Comment = { id: 1, user: { type: 'User' }, body: '<!-- flight-recorder compare --> mine' };
  const comments: Comment[] = [planted];
  const gitHub = await startGitHub(comments, true);
  const workspace = makeWorkspace(3, 40);
  const first = await runAction(workspace, app, gitHub.url);
  expect(listCodes(first), JSON.stringify([...first])).toEqual({ base: 0, head: 0, compare: 0, comment: 0, judge: 0 });
  expect(comments).toHaveLength(2);
  expect(comments[1]?.body).toMatch(/^<!-- flight-recorder compare -->\n### Payloads: 1 route: 1 changed\n/);
  expect(comments[1]?.body).toContain('products grew by 37 items');
  expect(comments[1]?.body).toContain('Base: the base, head: this pull request.');
  expect(comments[1]?.body).toContain('(https://github.invalid/shop/web/actions/runs/99)');
  expect(readFileSync(path.join(workspace, 'temp/summary.md'), 'utf8')).toContain('### Payloads: 1 route');
  const opened = await openFlights(readFileSync(path.join(workspace, 'payloads.html')));
  expect(opened.kind === 'flights' && opened.flights).toHaveLength(2);
  await expect
    .poll(() => Promise.all([isRunning(workspace, 'base'), isRunning(workspace, 'head')]))
    .toEqual([false, false]);

  writeApp(path.join(workspace, 'head'), 3);
  const second = await runAction(workspace, app, gitHub.url);
  expect(listCodes(second)).toEqual({ base: 0, head: 0, compare: 0, comment: 0, judge: 0 });
  expect(comments).toHaveLength(2);
  expect(comments[1]?.body).toContain('### Payloads: 1 route: 1 the same');
  expect(planted.body).toBe('<!-- flight-recorder compare --> mine');
});

test('a limit that is exceeded fails after the comment is written', async () => {
  const comments: Comment[] = [];
  const gitHub = await startGitHub(comments, true);
  const ended = await runAction(makeWorkspace(3, 40), { ...app, 'max-growth': '5%' }, gitHub.url);
  expect(listCodes(ended)).toEqual({ base: 0, head: 0, compare: 0, comment: 0, judge: 1 });
  expect(comments[0]?.body).toContain('**Over the limit**');
});

test('who may not write a comment gets a warning, and an app that does not start an error', async () => {
  const gitHub = await startGitHub([], false);
  const ended = await runAction(makeWorkspace(3, 3), app, gitHub.url);
  expect(listCodes(ended)).toEqual({ base: 0, head: 0, compare: 0, comment: 0, judge: 0 });
  expect(ended.get('comment')?.output).toContain('::warning::The comment could not be written');
  const broken = await runAction(makeWorkspace(3, 3), { ...app, start: 'node none.mjs' }, gitHub.url);
  expect(listCodes(broken)).toEqual({ base: 1 });
  expect(broken.get('base')?.output).toMatch(/Cannot find module[^]*::error title=base::The base ended with 1/);
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isRecord } from '#boundary';

import { startCommand } from './testing/run-command.ts';
import { runOperator } from './testing/run-operator.ts';
import { signIn } from './testing/sign-in.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/**
 * The API of the built server: every answer is compared with the document that the server itself serves, and every example of
 * docs/api.md is run.
 */
const digest = '3F7K2M9QRT';
const eventId = 'f1d2d2f924e986ac86fdf7b36c94bcdf';

let server: RunningServer;
let token: string;
let described: Record<string, unknown>;

type Answer = { readonly status: number; readonly type: string; readonly text: string; readonly body: unknown };

function parse(text: string): unknown {
  return JSON.parse(text);
}

let asked = 0;

/** Each from another address, so that no rate is in the way. */
async function ask(
  target: string,
  own: Record<string, string> = { authorization: `Bearer ${token}` },
): Promise<Answer> {
  asked += 1;
  const headers = { ...own, 'x-forwarded-for': `203.0.113.${asked}` };
  const response = await fetch(server.origin + target, { headers });
  const text = await response.text();
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  return { status: response.status, type, text, body: type === 'application/json' ? parse(text) : undefined };
}

function dig(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);
}

/** @returns what is wrong with an answer by the document; nothing where it is as it says */
function findFlaw(pattern: string, { status, type, body }: Answer): string | undefined {
  const content = dig(described, 'paths', pattern, 'get', 'responses', String(status), 'content', type);
  if (content === undefined) return `${status} ${type} is not described`;
  if (type !== 'application/json') return undefined;
  const schema = dig(content, 'schema');
  if (!isRecord(schema)) return 'no schema';
  // What the schema refers to stands beside it in the document.
  const whole = { ...schema, type: 'object' as const, components: described['components'] };
  const validate = new AjvJsonSchemaValidator().getValidator(whole);
  const result = validate(body);
  return result.valid ? undefined : result.errorMessage;
}

function readTexts(value: unknown, ...names: readonly string[]): string[] {
  const list = dig(value, names[0] ?? '');
  if (!Array.isArray(list)) throw new Error(`no ${names[0]}`);
  return list.flatMap((item) => {
    const text = dig(item, ...names.slice(1));
    return typeof text === 'string' || typeof text === 'number' ? [String(text)] : [];
  });
}

beforeAll(async () => {
  server = await startServer({ env: { FLIGHT_AUTH: 'on', RECORD: 'all', TRUSTED_PROXIES: '127.0.0.1' } });
  const made = await runOperator(server.dataFolder, 'token', 'create', 'a test');
  token = made.output.trim();
  const event = {
    event_id: eventId,
    level: 'error',
    exception: { values: [{ type: 'TypeError', value: 'no price\u001b[31m', stacktrace: { frames: [] } }] },
    tags: { digest },
    breadcrumbs: [{ category: 'ui.click', message: 'Buy', timestamp: Date.now() / 1000 }],
  };
  const envelope = [JSON.stringify({ event_id: eventId }), '{"type":"event"}', JSON.stringify(event)].join('\n');
  expect((await fetch(`${server.origin}/tunnel`, { method: 'POST', body: envelope })).status).toBe(200);
  const cookie = await signIn(server);
  for (const page of ['/lab/actions', '/lab/prefetch/3']) {
    const response = await fetch(server.origin + page, { headers: { cookie, accept: 'text/html' } });
    expect([response.status, (await response.text()).length > 0]).toEqual([200, true]);
  }
  const document = parse((await ask('/api/v1/openapi.json', {})).text);
  if (!isRecord(document)) throw new Error('no document');
  described = document;
});

afterAll(() => server[Symbol.asyncDispose]());

const pollMs = 200;

/** A recorded flight is written a moment after its answer. */
async function findFlight(): Promise<string> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const [id] = readTexts((await ask('/api/v1/flights?own=1')).body, 'flights', 'id');
    if (id !== undefined) return id;
    if (Date.now() > deadline) throw new Error('no flight was recorded');
    await wait(pollMs);
  }
}

test('the document is valid OpenAPI 3.1, and needs no token', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(described));
  expect([valid, errors]).toEqual([true, undefined]);
});

describe('every answer is as the document says', () => {
  test('what is found, by every endpoint', async () => {
    const [fault = ''] = readTexts((await ask('/api/v1/faults')).body, 'faults', 'id');
    const flight = await findFlight();
    const targets: Readonly<Record<string, readonly string[]>> = {
      '/': ['', '/'],
      '/openapi.json': ['/openapi.json'],
      '/apps': ['/apps'],
      '/faults': [
        '/faults',
        '/faults?q=price',
        '/faults?state=any&sort=users&spark=14d&limit=1',
        '/faults?state=muted',
      ],
      '/faults/{id}': [`/faults/${fault}`],
      '/errors/{digest}': [`/errors/${digest}`, '/errors/3f7k2-m9qrt', `/errors/${eventId}`, `/errors/${fault}`],
      '/flights': ['/flights', '/flights?own=1&kind=document&kind=action&sort=duration&dir=asc', '/flights?status=5'],
      '/flights/{id}': [`/flights/${flight}`],
      '/flights/{id}/payload': [`/flights/${flight}/payload`],
      '/routes': ['/routes', '/routes?own=1&kind=document&slow=1', '/routes?app=flight-recorder'],
      '/leaks': ['/leaks', '/leaks?app=flight-recorder'],
      '/storms': ['/storms', '/storms?app=flight-recorder'],
      '/tries': ['/tries', '/tries?app=flight-recorder'],
    };
    expect(Object.keys(targets)).toEqual(Object.keys(isRecord(described['paths']) ? described['paths'] : {}));
    for (const [pattern, addresses] of Object.entries(targets)) {
      for (const address of addresses) {
        const answer = await ask(`/api/v1${address}`);
        expect([answer.status, findFlaw(pattern, answer)], address).toEqual([200, undefined]);
      }
    }
  });

  test('and what is refused', async () => {
    const wrong = { authorization: 'Bearer flr_x' };
    for (const pattern of Object.keys(isRecord(described['paths']) ? described['paths'] : {})) {
      const address = `/api/v1${pattern.replace(/\{\w+\}/, '99999')}`;
      const answers = [
        await ask(`${address}?no-such=1`),
        ...(pattern === '/openapi.json' ? [] : [await ask(address, wrong)]),
      ];
      if (pattern.includes('{')) answers.push(await ask(address));
      expect(
        answers.map(({ status }) => status),
        address,
      ).toEqual([400, 401, 404].slice(0, answers.length));
      for (const answer of answers) expect(findFlaw(pattern, answer), `${answer.status} ${address}`).toBe(undefined);
    }
  });

  test('a code that was misheard leads to the one that was meant', async () => {
    const answer = await ask('/api/v1/errors/3F7K2-M9QRS');
    expect([answer.status, findFlaw('/errors/{digest}', answer)]).toEqual([404, undefined]);
    expect(readTexts(answer.body, 'near', 'digest')).toEqual(['3F7K2-M9QRT']);
  });
});

test('a list is walked to its end', async () => {
  await findFlight();
  const seen: string[] = [];
  let target: unknown = '/api/v1/flights?own=1&limit=1';
  for (let steps = 0; steps < 50 && typeof target === 'string'; steps += 1) {
    const { body } = await ask(target);
    seen.push(...readTexts(body, 'flights', 'id'));
    target = dig(body, 'next');
  }
  expect(target).toBe(null);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(0);
});

test('the examples of docs/api.md answer', async () => {
  const guide = readFileSync(path.join(import.meta.dirname, '../docs/api.md'), 'utf8');
  const examples = guide.split('```sh\n')[1]?.split('```')[0]?.trim().split('\n') ?? [];
  expect(examples.length).toBeGreaterThan(5);
  for (const example of examples) {
    const env = { ...process.env, FLIGHT: server.origin, TOKEN: token };
    await using command = startCommand('sh', ['-c', example], { cwd: import.meta.dirname, env });
    expect(await command.exited, example).toBe(0);
    const answer = parse(command.output());
    expect([isRecord(answer), dig(answer, 'error')], example).toEqual([true, undefined]);
  }
});

import { parseArgs } from 'node:util';

import * as v from 'valibot';

import { lookedUp, nearDigest, type NearDigestAnswer } from '#src/api/schemas/errors.ts';
import { describeError, escapeText, isRecord, toPlainJson } from '#boundary';

import { WrongUse } from './command.ts';
import type { ApiReply } from './read-api/api-source.ts';
import { describeLookedUp, type Line } from './read-api/describe-details.ts';
import { openSource } from './read-api/open-source.ts';
import { complain } from './usage.ts';
import { readVariable } from '#src/server/environment/variables.ts';

/**
 * `digest <code>`: what is behind a digest, in a terminal. It asks the API: on this machine in this process, elsewhere with a token.
 * Texts of an error come from anywhere: nothing of them reaches the terminal as a control.
 */
const [found, notFound, notAsked] = [0, 1, 3];
const labelWidth = 9;

type Asked = {
  readonly code: string;
  /** Parameters of the API by these names. */
  readonly fields: Readonly<Record<'app' | 'at' | 'path', string | undefined>>;
  readonly url: string | undefined;
  readonly data: string | undefined;
  readonly isJson: boolean;
};

function readArguments(args: readonly string[]): Asked | undefined {
  try {
    const text = { type: 'string' } as const;
    const options = { url: text, data: text, app: text, at: text, path: text, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    // Somebody read it out in two parts.
    const code = positionals.join(' ').trim();
    const { app, at, path, url, data, json = false } = values;
    return code === '' ? undefined : { code, fields: { app, at, path }, url, data, isJson: json };
  } catch (error) {
    throw new WrongUse(describeError(error).split('. ')[0] ?? '');
  }
}

/** Only on a terminal, and not where the person wants none: https://no-color.org */
function paint(text: string, tone: Line['tone']): string {
  const isPainted = process.stdout.isTTY && !readVariable('NO_COLOR');
  if (!isPainted || tone === 'plain') return text;
  return tone === 'strong' ? `\u001b[1m${text}\u001b[22m` : `\u001b[2m${text}\u001b[22m`;
}

function print(lines: readonly Line[]): void {
  const printed = lines.map(
    ({ label, text, tone }) => `${paint(label.padEnd(labelWidth), 'quiet')} ${paint(text, tone)}`,
  );
  process.stdout.write(`${printed.map((line) => line.trimEnd()).join('\n')}\n`);
}

function readNear(body: unknown): readonly NearDigestAnswer[] {
  const near = v.safeParse(v.array(nearDigest), isRecord(body) ? body['near'] : undefined);
  return near.success ? near.output : [];
}

function printNear(code: string, near: readonly NearDigestAnswer[]): void {
  complain(`nothing is stored under ${toPlainJson(code)}${near.length > 0 ? '. One of these may be meant:' : ''}`);
  for (const { digest: meant, app, time, path } of near) {
    process.stdout.write(`${escapeText(meant)}  ${time}  ${escapeText(app)}  ${escapeText(path)}\n`);
  }
}

/** What a server says when it does not answer the question. */
function readProblem({ status, body }: ApiReply): string {
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
  const message = typeof error['message'] === 'string' ? error['message'] : `status ${status}`;
  const hint = status === 401 ? ' Set FLIGHT_RECORDER_TOKEN to a token of its page /operator.' : '';
  return `${message}${hint}`;
}

function show({ code, isJson }: Asked, reply: ApiReply): number {
  if (reply.status !== 200 && reply.status !== 404) {
    complain(readProblem(reply));
    return reply.status === 400 ? 2 : notAsked;
  }
  if (isJson) process.stdout.write(`${toPlainJson(reply.body)}\n`);
  if (reply.status === 404) {
    if (!isJson) printNear(code, readNear(reply.body));
    return notFound;
  }
  if (!isJson) print(describeLookedUp(v.parse(lookedUp, reply.body), Date.now()));
  return found;
}

function writeQuery(fields: Asked['fields']): string {
  const given = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

export async function digest(args: readonly string[]): Promise<number | undefined> {
  const asked = readArguments(args);
  if (!asked) return undefined;
  const { code, fields, url, data } = asked;
  try {
    const source = await openSource({ url, data });
    try {
      return show(asked, await source.ask(`errors/${encodeURIComponent(code)}${writeQuery(fields)}`));
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof WrongUse) throw error;
    complain(describeError(error));
    return notAsked;
  }
}

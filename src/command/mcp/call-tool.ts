import * as v from 'valibot';

import { nearDigest } from '#src/api/schemas/errors.ts';
import { encodeText } from '#src/server/http/encode-text.ts';
import { isRecord } from '#boundary';

import type { ApiReply, ApiSource } from '../read-api/api-source.ts';
import { boundAnswer } from './bound-answer.ts';
import { describeAnswer, fence, notice } from './describe-answer.ts';
import { rowsAtMost, rowsUsually, tools, type Tool } from './tools.ts';

/** A call of a tool: one question to the API, and its answer within the bounds of a result. */
export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
};

type Arguments = Readonly<Record<string, unknown>>;

function toTexts(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []));
}

/** Every argument that was given goes to the API, also one that it does not know: it says which those are. */
function toTarget({ path, id, parameters, renamed = {} }: Tool, given: Arguments): string | undefined {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (name === id?.name) continue;
    for (const text of toTexts(value)) fields.append(renamed[name] ?? name, text);
  }
  if (parameters.some(({ name }) => name === 'limit')) {
    const asked = Number(fields.get('limit') ?? rowsUsually);
    fields.set('limit', String(Number.isInteger(asked) ? Math.min(asked, rowsAtMost) : rowsUsually));
  }
  const [named = ''] = id ? toTexts(given[id.name]) : [];
  if (id && named === '') return undefined;
  const query = fields.size === 0 ? '' : `?${fields.toString()}`;
  return path.replace(/\{\w+\}/, () => encodeText(named)) + query;
}

/** Where nothing was found, also what may have been meant. */
function describeProblem({ status, body }: ApiReply): string {
  const record = isRecord(body) ? body : {};
  const error = isRecord(record['error']) ? record['error'] : {};
  const message = typeof error['message'] === 'string' ? error['message'] : `It answered with status ${status}.`;
  const wrong = Array.isArray(record['parameters']) ? ` ${JSON.stringify(record['parameters'])}` : '';
  const hint = status === 401 ? ' FLIGHT_RECORDER_TOKEN must be a token of its page /operator.' : '';
  return `${message}${wrong}${hint}`;
}

function readNear(body: unknown) {
  const near = v.safeParse(v.array(nearDigest), isRecord(body) ? body['near'] : undefined);
  return near.success ? near.output : [];
}

function refuse(problem: string, near: readonly unknown[] = []): ToolResult {
  const { value, isShortened } = boundAnswer({ problem, near });
  const bounded = isRecord(value) ? value : {};
  const text = near.length === 0 ? problem : `${problem} Digests that are near: ${JSON.stringify(bounded['near'])}`;
  return {
    content: [{ type: 'text', text: fence(text) }],
    structuredContent: { notice, isShortened, near: [], ...bounded, answer: null },
    isError: true,
  };
}

/** @throws nothing: an agent reads why there is no answer */
export async function callTool(source: ApiSource, name: string, given: Arguments): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (!tool) return refuse(`There is no tool ${JSON.stringify(name.slice(0, 60))}.`);
  const target = toTarget(tool, given);
  if (target === undefined) return refuse(`The argument ${tool.id?.name} is missing.`);
  try {
    const reply = await source.ask(target);
    if (reply.status !== 200) return refuse(describeProblem(reply), readNear(reply.body));
    const { value, isShortened } = boundAnswer(reply.body);
    return {
      content: [{ type: 'text', text: fence(describeAnswer(name, reply.body)) }],
      structuredContent: { notice, isShortened, problem: null, near: [], answer: value },
      isError: false,
    };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

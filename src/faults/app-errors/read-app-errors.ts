import 'server-only';

import * as v from 'valibot';

import { appKinds, appPhases, reporters } from '#report/sender/app-error.ts';

import { createJsonBudget, isWithin, parseJson } from '../receive/untrusted-json.ts';

/**
 * The body of `POST /api/<app>/errors`, as docs/error-format.md describes it. It is read once, here. A field that has the
 * wrong type refuses the whole body, so that whoever writes a sender learns of it; a text that is too long is cut later.
 */

/** A sender gathers what one page caused. More at once would hold up the thread that serves pages. */
const errorsLimit = 20;
/** As many as the runtime keeps of its own stacks, with room for a sender that counts differently. */
const framesLimit = 100;
const causesLimit = 10;
const linesLimit = 50;
/** As many as the runtime keeps of a request. */
const breadcrumbsLimit = 100;
const breadcrumbFacts = 50;

const text = v.string();
const optionalText = v.nullish(text);
const position = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const frame = v.object({
  fn: v.optional(text, ''),
  file: text,
  line: position,
  column: position,
  source: v.nullish(text),
  inApp: v.optional(v.boolean(), false),
  context: v.nullish(v.object({ firstLine: position, lines: v.pipe(v.array(text), v.maxLength(linesLimit)) })),
});

const frames = v.nullish(v.pipe(v.array(frame), v.maxLength(framesLimit)));

const cause = v.object({ name: text, message: text, stack: v.optional(text, ''), frames });

const breadcrumb = v.object({
  time: v.pipe(v.number(), v.safeInteger()),
  category: text,
  message: text,
  level: v.optional(v.picklist(['info', 'warning', 'error']), 'info'),
  data: v.nullish(v.pipe(v.record(text, v.union([text, v.number()])), v.maxEntries(breadcrumbFacts))),
});

const appError = v.object({
  id: v.pipe(text, v.regex(/^[\da-f]{32}$/, 'Expected 32 hex digits')),
  time: v.pipe(v.number(), v.safeInteger()),
  reporter: v.optional(v.picklist(reporters), 'other'),
  // Letters and signs that a page can show and a person can read out; a space only between them.
  digest: v.nullish(v.pipe(text, v.regex(/^[!-~](?:[ -~]{0,62}[!-~])?$/, 'Expected 1 to 64 printable characters'))),
  framework: optionalText,
  phase: v.nullish(v.picklist(appPhases)),
  kind: v.nullish(v.picklist(appKinds)),
  route: optionalText,
  request: v.nullish(v.object({ method: optionalText, path: optionalText, id: optionalText, traceId: optionalText })),
  release: optionalText,
  runtime: optionalText,
  name: text,
  message: text,
  stack: v.nullish(text),
  frames,
  causes: v.nullish(v.pipe(v.array(cause), v.maxLength(causesLimit))),
  componentStack: v.nullish(text),
  breadcrumbs: v.nullish(v.pipe(v.array(breadcrumb), v.maxLength(breadcrumbsLimit))),
});

const body = v.object({ errors: v.pipe(v.array(appError), v.minLength(1), v.maxLength(errorsLimit)) });

export type ReceivedAppError = v.InferOutput<typeof appError>;

/** As it is sent, before defaults. @internal */
export type SentAppError = v.InferInput<typeof appError>;

export type ReadResult =
  | { readonly type: 'read'; readonly errors: readonly ReceivedAppError[] }
  | { readonly type: 'malformed'; readonly reason: string };

export function readAppErrors(bytes: Uint8Array): ReadResult {
  if (!isWithin(createJsonBudget(), bytes)) return { type: 'malformed', reason: 'the JSON has too many parts' };
  const parsed = v.safeParse(body, parseJson(new TextDecoder().decode(bytes)), { abortEarly: true });
  if (parsed.success) return { type: 'read', errors: parsed.output.errors };
  const [issue] = parsed.issues;
  const place = v.getDotPath(issue) ?? 'the body';
  return { type: 'malformed', reason: `${place}: ${issue.message}`.slice(0, 300) };
}

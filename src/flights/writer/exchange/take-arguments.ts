import type { ExchangeFacts } from '../../watch/exchange.ts';

/**
 * A request's body as the arguments of an action. What came in part is cut where that does no harm: a field of which the end is
 * missing would not be recognised, and so not be redacted.
 */
export type Arguments = {
  readonly type: string;
  /** As they came. */
  readonly bytes: number;
  readonly args: Uint8Array;
  /** Of a form that was sent without JavaScript. */
  readonly actionId: string | null;
};

const nothing = new Uint8Array();
/** A boundary has at most 70 characters (RFC 2046). */
const longestType = 300;
/** Names of fields by which React finds a form's action: `$ACTION_ID_<id>`, or bound arguments with the id in JSON. */
const idField = /name="\$ACTION_ID_([^"]{1,300})"/;
const boundField = /name="\$ACTION_\d+:0"\r\n\r\n\{"id":"([^"\\]{1,300})"/;

function readFormAction(body: Buffer): string | null {
  const text = body.toString('latin1', 0, 64 * 1024);
  return (idField.exec(text) ?? boundField.exec(text))?.[1] ?? null;
}

/** Up to the last whole part. */
function cutForm(body: Buffer, type: string): Buffer {
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  const end = boundary === undefined ? -1 : body.lastIndexOf(`\r\n--${boundary}`);
  return end === -1 ? body.subarray(0, 0) : body.subarray(0, end + 4 + (boundary?.length ?? 0));
}

/** Returns undefined where there is nothing to keep. */
export function takeArguments(
  { requestHeaders, requestBytes, look }: ExchangeFacts,
  args: Uint8Array,
): Arguments | undefined {
  if (requestBytes === 0) return undefined;
  const type = (requestHeaders['content-type'] ?? 'text/plain').slice(0, longestType);
  const whole = Buffer.from(args.buffer, args.byteOffset, args.byteLength);
  const isForm = /^multipart\/form-data/i.test(type);
  const actionId = isForm ? readFormAction(whole) : null;
  const isPacked = !/^(?:identity)?$/.test(requestHeaders['content-encoding'] ?? '');
  // TanStack Start writes names and values in two lists: what is secret by its name cannot be told apart.
  if (isPacked || look.framework === 'tanstack-start') {
    return { type, bytes: requestBytes, args: nothing, actionId: null };
  }
  const kept = isForm && args.length < requestBytes ? cutForm(whole, type) : whole;
  return { type, bytes: requestBytes, args: kept, actionId };
}

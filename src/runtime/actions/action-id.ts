import 'server-only';

/** Where an action is: the bundler's key of its module, and its export. */
export type ActionId = { readonly file: string; readonly name: string };

/** A module's key is a hash in a build and the file's path in dev; exports are identifiers. */
const filePattern = /^[\w./@-]{1,300}$/;
const namePattern = /^[\w$]{1,200}$/;

function toActionId(file: string, name: string): ActionId | undefined {
  return filePattern.test(file) && !file.includes('..') && namePattern.test(name) ? { file, name } : undefined;
}

/** Waku's spelling, in the header: `<file>/<name>`, with a `_` before a file that begins with `/` or `_`. */
export function parseHeaderId(header: string): ActionId | undefined {
  const slash = header.lastIndexOf('/');
  const file = header.slice(0, Math.max(0, slash));
  return toActionId(file.startsWith('_') ? file.slice(1) : file, header.slice(slash + 1));
}

/** React's spelling, in a form: `<file>#<name>`. */
function parseReferenceId(id: unknown): ActionId | undefined {
  if (typeof id !== 'string') return undefined;
  const hash = id.indexOf('#');
  return hash === -1 ? undefined : toActionId(id.slice(0, hash), id.slice(hash + 1));
}

/** The path where Waku takes a call, below its own prefix for Flight requests. */
export function toCallPath(header: string): string {
  return `F/${header}${header.endsWith('_') ? '_' : ''}.txt`;
}

const idPrefix = '$ACTION_ID_';
const referencePrefix = '$ACTION_REF_';

/** The id in a form field `$ACTION_REF_<n>`: that of `$ACTION_<n>:0`, which also points to the bound arguments. */
function readBoundId(form: FormData, key: string): ActionId | undefined {
  const values = form.getAll(`$ACTION_${key.slice(referencePrefix.length)}:0`);
  const [text] = values;
  if (values.length !== 1 || typeof text !== 'string') return undefined;
  let meta: unknown;
  try {
    meta = JSON.parse(text);
  } catch {
    // Not what React writes; the caller refuses it as a malformed id.
    return undefined;
  }
  return typeof meta === 'object' && meta !== null && 'id' in meta ? parseReferenceId(meta.id) : undefined;
}

/**
 * The actions that a form names: none, its own, or its own and its submit button's, of which React runs the last.
 * Undefined stands for a field that begins like React's but holds no id.
 */
export function readFormIds(form: FormData): (ActionId | undefined)[] {
  const ids: (ActionId | undefined)[] = [];
  for (const key of form.keys()) {
    if (key.startsWith(idPrefix)) ids.push(parseReferenceId(key.slice(idPrefix.length)));
    else if (key.startsWith(referencePrefix)) ids.push(readBoundId(form, key));
  }
  return ids;
}

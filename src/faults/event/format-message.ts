import 'server-only';

import { filtered, isSensitiveKey, scrubData } from '../scrubbing/scrub.ts';
import { asList, asRecord, type JsonRecord } from '../receive/untrusted-json.ts';

/**
 * A log entry's pattern with its parameters: `Order %s failed`, `%(order)s`, `{0}`, `{}`, `{order}`. Some SDKs send the two and leave
 * the rest to the receiver. Like Relay, a pattern with `%s` is Python's, any other is one with braces. A placeholder without a
 * parameter stays as it is. Pattern and parameters are a stranger's: each parameter is made text once, however often it is named, and
 * the work is linear in the pattern. The caller cuts and scrubs what comes out.
 */
type ReadValue = (name: string, conversion: string) => string | undefined;

/** A space as a flag is left out: `100% of it` has no placeholder. */
const percent = /%(?:\(([^()]{1,64})\))?[#0+-]{0,4}(?:\d{1,3}|\*)?(\.\d{1,2})?[hlL]?([a-zA-Z%])/g;
const braces = /\{\{|\}\}|\{([^{}]{0,64})\}/g;

/** A line of a log names a handful of values. What one has beyond this length is a dump. */
const parametersRead = 64;
const valueLength = 2_048;

function cut(text: string, limit: number): string {
  return text.slice(0, limit);
}

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return cut(String(value), valueLength);
  const entries = Object.entries(scrubData(value, cut));
  const text = Array.isArray(value)
    ? `[${entries.map(([, item]) => item).join(', ')}]`
    : `{${entries.map(([key, item]) => `${key}: ${item}`).join(', ')}}`;
  return cut(text, valueLength);
}

/** Width is for columns, and counts nothing here. */
function formatNumber(value: number, conversion: string): string {
  if (/^\.\d+f$/i.test(conversion)) return value.toFixed(Number.parseInt(conversion.slice(1), 10));
  return /^x$/i.test(conversion) ? value.toString(16) : String(value);
}

function readParameters(params: JsonRecord): ReadValue {
  const texts = new Map<string, string>();
  return (name, conversion) => {
    if (!Object.hasOwn(params, name)) return undefined;
    if (isSensitiveKey(name)) return filtered;
    const value = params[name];
    if (typeof value === 'number') return formatNumber(value, conversion);
    const known = texts.get(name);
    if (known !== undefined) return known;
    if (texts.size >= parametersRead) return undefined;
    const text = formatValue(value);
    texts.set(name, text);
    return text;
  };
}

function formatPercent(pattern: string, read: ReadValue): string {
  let next = 0;
  return pattern.replace(percent, (whole, name: string | undefined, precision: string | undefined, type: string) => {
    if (type === '%') return '%';
    return read(name ?? String(next++), `${precision ?? ''}${type}`) ?? whole;
  });
}

function formatBraces(pattern: string, read: ReadValue): string {
  let next = 0;
  return pattern.replace(braces, (whole, field: string | undefined) => {
    if (field === undefined) return whole.charAt(0);
    // `{price:.2f}` and `{error!r}` are Python's, too.
    const [name = '', conversion = ''] = field.split(/[:!]/, 2);
    return read(name === '' ? String(next++) : name, conversion) ?? whole;
  });
}

/** @param params a list, or an object by name; a pattern without any is text already */
export function formatMessage(pattern: string, params: unknown): string {
  const list = asList(params)?.slice(0, parametersRead);
  const named = list ? asRecord({ ...list }) : asRecord(params);
  if (named === undefined || Object.keys(named).length === 0) return pattern;
  const read = readParameters(named);
  const isPercent = [...pattern.matchAll(percent)].some(([, , , type]) => type !== '%');
  return isPercent ? formatPercent(pattern, read) : formatBraces(pattern, read);
}

/** Whether a pattern says what happened: `%s: %s` says nothing, and all that is logged with it would be one fault. */
export function saysSomething(pattern: string): boolean {
  return /\p{L}/u.test(pattern.replace(percent, '').replace(braces, ''));
}

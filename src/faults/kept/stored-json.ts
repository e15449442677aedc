import 'server-only';

import type { ServerErrorRecord } from '#src/runtime/errors/error-record.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

import type { Breadcrumb } from './error-details.ts';
import { asInteger, asList, asRecord, asText, type JsonRecord, parseJson } from '../receive/untrusted-json.ts';

/**
 * Reads the JSON columns of `event`. This app wrote them, perhaps an older build of it. What cannot be
 * read is left out, because a page that shows most of an error is better than no page.
 */
const textLimit = 65_536;

function readRecords<T>(list: unknown, read: (record: JsonRecord) => T | undefined): T[] {
  const values: T[] = [];
  for (const item of asList(list) ?? []) {
    const record = asRecord(item);
    const value = record && read(record);
    if (value) values.push(value);
  }
  return values;
}

function readEach<T>(json: string, read: (record: JsonRecord) => T | undefined): T[] {
  return readRecords(parseJson(json), read);
}

function readContext(value: unknown): SourceFrame['context'] {
  const record = asRecord(value);
  const firstLine = asInteger(record?.['firstLine']);
  if (!record || firstLine === undefined) return undefined;
  const lines = (asList(record['lines']) ?? []).filter((line) => typeof line === 'string');
  return { firstLine, lines };
}

function readFrame(record: JsonRecord): SourceFrame {
  const source = asText(record['source'], textLimit);
  const context = readContext(record['context']);
  const debugId = asText(record['debugId'], textLimit);
  return {
    fn: asText(record['fn'], textLimit) ?? '',
    file: asText(record['file'], textLimit) ?? '',
    line: asInteger(record['line']) ?? 0,
    column: asInteger(record['column']) ?? 0,
    inApp: record['inApp'] === true,
    ...(source === undefined ? {} : { source }),
    ...(debugId === undefined ? {} : { debugId }),
    ...(context === undefined ? {} : { context }),
  };
}

export function readFrames(json: string): SourceFrame[] {
  return readEach(json, readFrame);
}

export type StoredCause = ServerErrorRecord['causes'][number] & {
  /** Where its sender had the maps. */
  readonly frames?: readonly SourceFrame[];
};

export function readCauses(json: string): StoredCause[] {
  return readEach(json, (record) => {
    const frames = readRecords(record['frames'], readFrame);
    return {
      name: asText(record['name'], textLimit) ?? '',
      message: asText(record['message'], textLimit) ?? '',
      stack: asText(record['stack'], textLimit) ?? '',
      ...(frames.length > 0 ? { frames } : {}),
    };
  });
}

/** `{name: text}` */
export function readTexts(json: string): Readonly<Record<string, string>> {
  const texts = Object.entries(asRecord(parseJson(json)) ?? {}).flatMap(([name, value]) => {
    const text = asText(value, textLimit);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(texts);
}

export function toLevel(value: unknown): Breadcrumb['level'] {
  switch (value) {
    case 'debug':
    case 'warning':
    case 'error':
    case 'fatal':
      return value;
    default:
      return 'info';
  }
}

export function readBreadcrumbs(json: string, side: Breadcrumb['side']): Breadcrumb[] {
  return readEach(json, (record) => {
    const time = asInteger(record['time']);
    if (time === undefined) return undefined;
    const data: Record<string, string> = {};
    for (const [key, value] of Object.entries(asRecord(record['data']) ?? {})) {
      if (typeof value === 'string') data[key] = value;
    }
    return {
      time,
      ...(record['isUntimed'] === true ? { isUntimed: true } : {}),
      side,
      category: asText(record['category'], textLimit) ?? '',
      level: toLevel(record['level']),
      message: asText(record['message'], textLimit) ?? '',
      data,
    };
  });
}

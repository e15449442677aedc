import 'server-only';

import type { NewFeedback } from '../feedback/add-feedback.ts';
import { toRowKey } from '../kept/row-key.ts';
import { asRecord, asText, type JsonRecord } from '../receive/untrusted-json.ts';
import { findEventDigest } from './find-event-digest.ts';
import { readHex } from './event-values.ts';

/**
 * What a person wrote about an error, in the two forms that SDKs send: `feedback`, an event of its own, and the older
 * `user_report`. Both name the error's event; add-feedback.ts bounds and scrubs the texts.
 * https://develop.sentry.dev/sdk/telemetry/feedbacks/
 */
type From = { readonly app: string; readonly receivedAt: number };

/** More than add-feedback.ts keeps of any of them. */
const textLimit = 8_192;

function readText(value: unknown): string {
  return asText(value, textLimit) ?? '';
}

function toKey(app: string, value: unknown): string | undefined {
  const id = readHex(value, 32);
  return id === undefined ? undefined : toRowKey(app, id);
}

/** Returns undefined when nobody wrote anything. */
export function readFeedback(event: JsonRecord, { app, receivedAt }: From): NewFeedback | undefined {
  const contexts = asRecord(event['contexts']);
  const feedback = asRecord(contexts?.['feedback']) ?? {};
  const message = readText(feedback['message']);
  if (message.trim() === '') return undefined;
  return {
    app,
    receivedAt,
    message,
    source: 'sdk',
    eventId: toKey(app, feedback['associated_event_id']),
    digest: findEventDigest(event, { messages: [] }),
    traceId: readHex(asRecord(contexts?.['trace'])?.['trace_id'], 32),
    name: readText(feedback['name']),
    email: readText(feedback['contact_email']),
    path: readText(feedback['url'] ?? asRecord(event['request'])?.['url']),
  };
}

export function readUserReport(report: JsonRecord, { app, receivedAt }: From): NewFeedback | undefined {
  const message = readText(report['comments']);
  const eventId = toKey(app, report['event_id']);
  if (message.trim() === '' || eventId === undefined) return undefined;
  const [name, email] = [readText(report['name']), readText(report['email'])];
  return { app, receivedAt, message, eventId, name, email, source: 'sdk', path: '' };
}

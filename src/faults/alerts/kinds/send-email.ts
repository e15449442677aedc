import 'server-only';

import type { Mail } from '#src/server/environment/mail-entries.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { describeError, escapeText } from '#boundary';

import type { Email } from './format-email.ts';
import type { Sent } from '../post-message.ts';

/** A server that greets slowly to annoy spammers takes up to some seconds. */
const timeoutMs = 10_000;
/** The longest that one mail takes: a byte now and then starts the time above anew. Shorter than a claim of a message. */
const longestMs = 60_000;
const answerShown = 200;

/** How mails are sent, from the environment; undefined where it does not say. */
export function readMail(): Mail | undefined {
  const [server, from] = [readSetting('SMTP_URL'), readSetting('ALERT_FROM')];
  return server && from !== undefined ? { server, from } : undefined;
}

/** The password of the mail account may be in the server's answer. */
function describeAnswer(error: unknown, { server }: Mail): string {
  const text = escapeText(describeError(error).replace(/\s+/g, ' '));
  const shown = server.password === undefined ? text : text.replaceAll(server.password, '…');
  return shown.slice(0, answerShown);
}

/**
 * Sends once. nodemailer is loaded with the first mail: most servers send none. Never throws.
 * @param mostMs for tests
 */
export async function sendEmail(to: string, email: Email, signal: AbortSignal, mostMs = longestMs): Promise<Sent> {
  const mail = readMail();
  if (!mail) return { isSent: false, answer: 'SMTP_URL and ALERT_FROM are not set' };
  const { server, from } = mail;
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    requireTLS: server.needsTls,
    ...(server.user === undefined ? {} : { auth: { user: server.user, pass: server.password ?? '' } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // Texts of strangers are texts, whatever they look like.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const tooLong = AbortSignal.timeout(mostMs);
  try {
    const { response } = await transport.sendMail({
      signal: AbortSignal.any([signal, tooLong]),
      from: { name: 'Flight Recorder', address: from },
      to: { name: '', address: to },
      ...email,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return { isSent: true, answer: escapeText(response).slice(0, answerShown) };
  } catch (error) {
    const answer = tooLong.aborted ? `did not take it within ${mostMs / 1_000} s` : describeAnswer(error, mail);
    return { isSent: false, answer };
  } finally {
    transport.close();
  }
}

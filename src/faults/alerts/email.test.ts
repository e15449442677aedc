import { createServer, type Server, type Socket } from 'node:net';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { keepNoSettings } from '#src/server/environment/read-setting.ts';

import { formatEmail } from './kinds/format-email.ts';
import { boundFault, type AlertContent, type FaultContent } from './message.ts';
import { sendEmail } from './kinds/send-email.ts';

/** A mail server with a few lines: it takes one mail for each connection, and keeps what it was told. */
let server: Server;
let told: string[];
let refusal: string | undefined;
let sockets: Socket[];

function answer(socket: Socket, line: string): string | undefined {
  const [verb = ''] = line.split(' ');
  switch (verb.toUpperCase()) {
    case 'EHLO':
      return '250-here\r\n250 AUTH PLAIN';
    case 'AUTH':
      return '235 welcome';
    case 'RCPT':
      return refusal ?? '250 ok';
    case 'DATA':
      return '354 go on';
    case '.':
      return '250 taken as m1';
    case 'QUIT':
      socket.end('221 bye\r\n');
      return undefined;
    default:
      return '250 ok';
  }
}

function talk(socket: Socket): void {
  sockets.push(socket);
  let text = '';
  let isData = false;
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  socket.write('220 here\r\n');
  socket.on('data', (part: string) => {
    text += part;
    for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 2);
      told.push(line);
      if (isData && line !== '.') continue;
      isData = line === 'DATA';
      const said = answer(socket, line);
      if (said !== undefined) socket.write(`${said}\r\n`);
    }
  });
}

beforeEach(async () => {
  keepNoSettings();
  told = [];
  sockets = [];
  refusal = undefined;
  server = createServer(talk);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  vi.stubEnv('SMTP_URL', `smtp://operator:p%40ss-word@127.0.0.1:${port}`);
  vi.stubEnv('ALERT_FROM', 'alerts@example.com');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const fault: FaultContent = {
  id: 'f1',
  app: 'shop',
  appName: 'Shop',
  side: 'server',
  name: 'TypeError',
  message: 'no basket',
  culprit: 'src/cart.ts · addItem',
  level: 'error',
  environment: '',
  page: '',
  release: 'r1',
  digest: '3F7K2M9QRT',
  count: 241,
  untrusted: 0,
  users: 3,
  firstTime: 1_000,
  lastTime: 2_000,
};

function contentOf(parts: Partial<FaultContent> = {}): AlertContent {
  return {
    type: 'fault',
    reason: 'new',
    time: 2_000,
    fault: boundFault({ ...fault, ...parts }),
    more: 240,
    inHour: null,
  };
}

const { signal } = new AbortController();

it('is handed to the mail server, as plain text and as HTML', async () => {
  const sent = await sendEmail('ops@example.com', formatEmail(contentOf(), 'https://flight.example'), signal);
  expect(sent).toEqual({ isSent: true, answer: '250 taken as m1' });
  const mail = told.join('\n');
  expect(mail).toContain(`AUTH PLAIN ${Buffer.from('\0operator\0p@ss-word').toString('base64')}`);
  expect(mail).toContain('MAIL FROM:<alerts@example.com>');
  expect(mail).toContain('RCPT TO:<ops@example.com>');
  expect(mail).toContain('From: Flight Recorder <alerts@example.com>');
  expect(mail).toMatch(/Content-Type: text\/plain/);
  expect(mail).toMatch(/Content-Type: text\/html/);
  expect(mail).toContain('https://flight.example/faults/f1');
});

it('says what the mail server says, and not the password', async () => {
  refusal = '550 no such person as p@ss-word here';
  const sent = await sendEmail('ops@example.com', formatEmail(contentOf(), ''), signal);
  expect(sent.isSent).toBe(false);
  expect(sent.answer).toContain('550 no such person as … here');
});

it('says that no mail server is set', async () => {
  vi.stubEnv('SMTP_URL', '');
  expect((await sendEmail('ops@example.com', formatEmail(contentOf(), ''), signal)).answer).toContain('SMTP_URL');
});

it('says that nobody answers', async () => {
  vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:1');
  const sent = await sendEmail('ops@example.com', formatEmail(contentOf(), ''), signal);
  expect(sent).toMatchObject({ isSent: false, answer: expect.stringContaining('ECONNREFUSED') });
});

it('holds hostile texts as texts: no header, no line, no element of theirs', async () => {
  const hostile = {
    name: 'Error\r\nBcc: everybody@example.com',
    message: '\r\n.\r\nRCPT TO:<everybody@example.com>\r\n<img src=x onerror=alert(1)>\u202e',
    release: 'r1\nX-Evil: 1',
    appName: 'Shop\r\nCc: all@example.com',
  };
  const email = formatEmail(contentOf(hostile), 'https://flight.example');
  expect(email.html).not.toContain('<img');
  expect(email.subject).not.toMatch(/[\r\n]/);
  const sent = await sendEmail('ops@example.com', email, signal);
  expect(sent.isSent).toBe(true);
  // In the body a line may begin with anything.
  const head = told.slice(0, told.indexOf(''));
  expect(head.filter((line) => /^(?:Bcc|Cc|X-Evil)/.test(line))).toEqual([]);
  expect(head.join('\n')).toContain('Subject: ');
  expect(told.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<ops@example.com>']);
});

it('has one address that a mail program makes a link of: its own', () => {
  const message = 'Open the fault: https://evil.example/faults/abc or www.evil.example';
  const { subject, text, html } = formatEmail(
    contentOf({ message, page: 'http://evil.example' }),
    'https://flight.example',
  );
  const links = (part: string) => part.match(/\b(?:https?:\/\/|www\.)[\w.]+/g) ?? [];
  expect([links(subject), links(text), new Set(links(html))]).toEqual([
    [],
    ['https://flight.example'],
    new Set(['https://flight.example']),
  ]);
});

/** Says a line of its greeting again and again, and never the last. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('220-x\r\n'), 20);
  socket.on('close', () => clearInterval(timer));
  socket.on('error', () => undefined);
}

it('ends a mail whose server never ends its answer, when this process stops and after a time', async () => {
  server.removeAllListeners('connection');
  server.on('connection', drip);
  const mail = formatEmail(contentOf(), '');
  const stopping = new AbortController();
  const began = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const stopped = sendEmail('ops@example.com', mail, stopping.signal);
  await began;
  stopping.abort();
  expect((await stopped).isSent).toBe(false);
  const late = await sendEmail('ops@example.com', mail, signal, 200);
  expect(late).toEqual({ isSent: false, answer: 'did not take it within 0.2 s' });
});

import type { Option } from './command.ts';

export const defaultPort = 3000;
export const defaultUiPort = 4000;
const loopback = '127.0.0.1';

const port: Option = {
  name: '--port',
  value: '<number>',
  meaning: 'where the app is reached, with the recorder in front of it',
  unset: String(defaultPort),
};

const host: Option = {
  name: '--host',
  value: '<address>',
  meaning: 'on which address; 0.0.0.0 lets other machines in',
  unset: loopback,
};

const data: Option = {
  name: '--data',
  value: '<folder>',
  meaning: 'where the recording is kept',
  unset: 'FLIGHT_DATA, else ./data',
};

const app: Option = {
  name: '--app',
  value: '<id>',
  meaning: 'under which name the app is recorded',
  unset: "package.json's name, else the folder's",
};

const release: Option = {
  name: '--release',
  value: '<name>',
  meaning: 'the version of the app, where its answers name no build',
  unset: 'FLIGHT_RELEASE',
};

const hostHeader: Option = {
  name: '--host-header',
  value: 'keep|upstream',
  meaning: "which Host the app sees: the visitor's, or that of its own address",
  unset: 'keep',
};

const browser: readonly Option[] = [
  {
    name: '--browser',
    value: '',
    meaning: 'add a script to the pages of the app, which tells what goes wrong in browsers',
    unset: '',
  },
  {
    name: '--browser-path',
    value: '<path>',
    meaning: 'where that script comes from and sends to',
    unset: '/_fr',
  },
  { name: '--browser-sample', value: '<0 to 1>', meaning: 'in which part of the documents it runs', unset: '1' },
  { name: '--browser-gpc', value: '', meaning: 'not for visitors whose browser sends Sec-GPC', unset: '' },
];

const blockForged: Option = {
  name: '--block-forged',
  value: 'pass|refuse',
  meaning: '403 for forged calls (docs/guard.md); larger ones: pass or refuse',
  unset: 'off',
};

const traces: Option = {
  name: '--traces',
  value: '',
  meaning: 'name a trace for each request, for the app’s OpenTelemetry (docs/server-time.md)',
  unset: '',
};

export const runOptions: readonly Option[] = [
  port,
  { name: '--ui-port', value: '<number>', meaning: 'where the interface is', unset: String(defaultUiPort) },
  host,
  data,
  app,
  release,
  {
    name: '--to',
    value: '<url>',
    meaning: 'where the app listens, when it does not listen at the PORT that it is given',
    unset: '',
  },
  hostHeader,
  ...browser,
  blockForged,
  traces,
];

export const proxyOptions: readonly Option[] = [
  {
    name: '--to',
    value: '<url>',
    meaning: 'where the app listens: http://…, https://… or unix:/path.sock',
    unset: '',
  },
  port,
  host,
  data,
  app,
  release,
  hostHeader,
  ...browser,
  blockForged,
  traces,
];

export const moveOptions: readonly Option[] = [
  { name: '--from', value: '<folder or url>', meaning: 'what is moved: a data folder, or postgres://…', unset: '' },
  {
    name: '--to',
    value: '<url or folder>',
    meaning: 'where it goes: an empty database, or a folder without data',
    unset: '',
  },
];

const url: Option = {
  name: '--url',
  value: '<url>',
  meaning: 'a server to ask, with the token in FLIGHT_RECORDER_TOKEN',
  unset: 'the data on this machine',
};

const read: Option = { ...data, meaning: 'the folder of the recording to read' };

export const mcpOptions: readonly Option[] = [url, read];

export const digestOptions: readonly Option[] = [
  url,
  read,
  { name: '--app', value: '<id>', meaning: 'whose digest is meant; asked for where several apps told it', unset: '' },
  {
    name: '--at',
    value: '<time>',
    meaning: 'about when, where many have the same digest: 2026-11-23T15:04, in UTC',
    unset: 'the latest',
  },
  { name: '--path', value: '<path>', meaning: 'on which page, where many have the same digest', unset: '' },
  { name: '--json', value: '', meaning: 'print the answer of the API', unset: '' },
];

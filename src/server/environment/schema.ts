import * as v from 'valibot';

import { contactEntries } from './contact-schema.ts';
import { createNumber, flag, mustBe, anyText, show } from './entry.ts';
import { mailEntries } from './mail-entries.ts';
import { parseDatabaseUrl } from './parse-database-url.ts';
import { parseDsn } from './parse-dsn.ts';
import { editorNames, parseEditor } from './parse-editor.ts';
import { reachEntries, reachSchema } from './reach-schema.ts';
import { telemetryEntries } from './telemetry-entries.ts';

/**
 * Every variable of the environment that the server or the operator's commands read: its parser, what it is when unset,
 * and what the guide says of it. A new setting is one entry here and its use, by `readSetting`; e2e/readme.test.ts then
 * asks for its row in docs/settings.md.
 */

const mebibyte = 1024 * 1024;
const dayMs = 24 * 3600 * 1000;

/** A proxy of a cloud keeps idle connections for minutes; nobody keeps one for longer than this. */
const keepAliveSecondsLimit = 3_600;
/** Below it the tables and a day's errors would not fit. */
const smallestLimitBytes = 16 * mebibyte;
/** A page of the recording's file has 8 KiB: with less, nothing could be written. 1 TiB is more than anybody records. */
const recordingMebibytes = { least: 0.01, most: 1024 * 1024 };
/** More than anybody asks; it keeps a sum readable. */
const highestPrice = 1_000_000;
/** A century. */
const mostDays = 36_500;

function readBytes(text: string): number {
  const [, amount, unit] = /^(\d{1,6})(MiB|GiB)$/.exec(text) ?? [];
  return Number(amount) * (unit === 'GiB' ? 1024 : 1) * mebibyte;
}

/** `0.25` of `sample:0.25`. */
function readShare(text: string): number {
  const share = /^sample:(0|1|0?\.\d+|[01]\.\d+)$/.exec(text)?.[1];
  return share === undefined ? Number.NaN : Number(share);
}

/** What is recorded; src/apps/policy.ts says what follows from it. */
type RecordMode =
  | { readonly mode: 'all' }
  | { readonly mode: 'errors' }
  | { readonly mode: 'sample'; readonly share: number }
  | { readonly mode: 'off' };

function toRecordMode(text: string): RecordMode {
  return text === 'all' || text === 'errors' || text === 'off'
    ? { mode: text }
    : { mode: 'sample', share: readShare(text) };
}

const otherEntries = {
  KEEP_ALIVE_SECONDS: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.check(
          (given) => /^\d+$/.test(given) && Number(given) >= 1 && Number(given) <= keepAliveSecondsLimit,
          mustBe(`a whole number from 1 to ${keepAliveSecondsLimit}`),
        ),
        v.transform(Number),
      ),
      '5',
    ),
    v.description('how long an idle connection is kept; longer than the proxy in front keeps it'),
  ),
  REUSE_PORT: v.pipe(
    flag,
    v.description(
      '`1` lets other servers on the same PostgreSQL listen on this port. See [Several processors](several-servers.md#several-processors)',
    ),
  ),
  FLIGHT_DATA: v.pipe(
    v.optional(v.string(), './data'),
    v.description('the folder with the database; one server at a time'),
  ),
  DATABASE_URL: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.check(
          (given) => parseDatabaseUrl(given) !== undefined,
          // The value holds a password: it is not shown.
          'is not of the form postgres://<user>:<password>@<host>:5432/<database>',
        ),
      ),
    ),
    v.description('[PostgreSQL](postgresql.md) instead of the database in the folder'),
  ),
  FLIGHT_DATA_LIMIT: v.pipe(
    // 2 GiB: what a VPS with 20 GB has to spare, four times what retention lets the tables hold in ordinary use.
    v.optional(
      v.pipe(
        v.string(),
        v.check(
          (given) => readBytes(given) >= smallestLimitBytes,
          mustBe('a size like 512MiB or 2GiB, and at least 16MiB'),
        ),
        v.transform(readBytes),
      ),
      '2GiB',
    ),
    v.description(
      "the database's largest size, at least `16MiB`; near it untrusted errors are deleted first, then those of the faults with most",
    ),
  ),
  RECORD: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.check(
          (given) => ['all', 'errors', 'off'].includes(given) || readShare(given) <= 1,
          mustBe('all, errors, off, or sample:<share>, like sample:0.1'),
        ),
        v.transform(toRecordMode),
      ),
    ),
    v.description('which Flight responses are recorded: `all`, `errors`, `sample:<share>` (`sample:0.1`), `off`'),
    v.metadata({ unset: 'see below' }),
  ),
  RECORD_MIB: v.pipe(
    // Some 100,000 payloads of 15 kB, compressed; a tenth of the disk of the smallest machine one rents.
    v.optional(
      v.pipe(
        createNumber(recordingMebibytes.least, recordingMebibytes.most),
        v.transform((mebibytes) => Math.round(mebibytes * mebibyte)),
      ),
      '256',
    ),
    v.description(
      'how large the recording may grow; then the oldest flights are deleted, in `flights.db` of the app that has most',
    ),
  ),
  RECORD_DAYS: v.pipe(
    // Who looks for the flight of a digest does so within days.
    v.optional(
      v.pipe(
        createNumber(0, mostDays),
        v.transform((days) => days * dayMs),
      ),
      '7',
    ),
    v.description('how old a recorded flight may be'),
  ),
  SOURCE_MAPS_MIB: v.pipe(
    // Packed maps of some 30 releases of a large app, as much as the recording has.
    v.optional(
      v.pipe(
        createNumber(recordingMebibytes.least, recordingMebibytes.most),
        v.transform((mebibytes) => Math.round(mebibytes * mebibyte)),
      ),
      '256',
    ),
    v.description('how much disk source maps may take; those used least recently are deleted'),
  ),
  PRICE_PER_MILLION_REQUESTS: v.pipe(
    v.optional(createNumber(0, highestPrice)),
    v.description(
      'what a million requests cost you, in your currency; [storms](guard.md#storms) then say what a month of them costs',
    ),
  ),
  PRICE_PER_GB: v.pipe(
    v.optional(createNumber(0, highestPrice)),
    v.description('the same for a gigabyte that is sent'),
  ),
  FLIGHT_OPEN: v.pipe(flag, v.description('`0` keeps `npm start` from opening the browser')),
  FLIGHT_EDITOR: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.rawTransform(({ dataset, addIssue, NEVER }) => {
          const template = parseEditor(dataset.value);
          if (template !== undefined) return template;
          const names = editorNames.join(', ');
          addIssue({
            message: `is ${show(dataset.value)}; it must be one of ${names}, or an address with {path}, {line} and {column}`,
          });
          return NEVER;
        }),
      ),
      'vscode',
    ),
    v.description(
      'in development, [which editor](lab.md#in-your-editor) opens a source: a name, or an address with `{path}`, `{line}`, `{column}`',
    ),
  ),
  FLIGHT_PASSWORD_FILE: v.pipe(anyText, v.description('a file from which `password set` reads the password')),
  FLIGHT_OPERATOR: v.pipe(
    v.optional(v.pipe(v.string(), v.trim())),
    v.description("how the operator's commands are typed here, for the pages and messages that name one"),
    v.metadata({ unset: 'see below' }),
  ),
  SENTRY_DSN: v.pipe(
    v.optional(
      v.pipe(
        v.string(),
        v.rawTransform(({ dataset, addIssue, NEVER }) => {
          const dsn = parseDsn(dataset.value);
          if (dsn) return dsn;
          // The value holds a key: it is not shown.
          addIssue({ message: 'is not of the form https://<key>@<host>/<project number>' });
          return NEVER;
        }),
      ),
    ),
    v.description('also forward every report to exactly this DSN'),
  ),
};

/** What the operator sets, as docs/settings.md lists it. `unset` says how, where that is neither a value nor "none". @internal */
export const settingEntries = {
  ...reachEntries,
  ...contactEntries,
  ...otherEntries,
  ...mailEntries,
  ...telemetryEntries,
};

/** What the machine sets, and nobody for our sake: whether there is a desktop. And what an app sets for the interface beside it. */
const machineEntries = { FLIGHT_BESIDE: anyText, SSH_CONNECTION: anyText, DISPLAY: anyText, WAYLAND_DISPLAY: anyText };

export const schema = v.intersect([
  reachSchema,
  v.pipe(
    v.object({ ...contactEntries, ...otherEntries, ...mailEntries, ...telemetryEntries, ...machineEntries }),
    v.forward(
      v.partialCheck(
        [['REUSE_PORT'], ['DATABASE_URL']],
        // Two servers that know nothing of each other would each get some of the visitors.
        ({ REUSE_PORT, DATABASE_URL }) => REUSE_PORT !== true || DATABASE_URL !== undefined,
        'is 1, which takes a DATABASE_URL: a database in a folder has one server.',
      ),
      ['REUSE_PORT'],
    ),
  ),
]);

import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';

import { describeError } from '#boundary';
import type { RecorderAddress } from '#report/recorder-url.ts';
import { createRefusedTeller } from '#src/faults/middleware/refused-of-browsers.ts';
import { relayReport } from '#src/faults/middleware/relay-report.ts';
import { createReportTaker } from '#src/faults/middleware/take-report.ts';
import { createReportedUseTaker } from '#src/flights/middleware/take-reported-use.ts';
import type { RunningWatch } from '#src/flights/watch/start-watch.ts';
import type { PageScriptOptions } from '#src/proxy/page-script/page-script.ts';
import { createAddressReader } from '#src/server/http/client-address.ts';
import { writeLog } from '#src/server/http/log.ts';

import { WrongUse } from './command.ts';
import { findDist } from './dist-folder.ts';
import type { ReadOptions } from './read-options.ts';
import { toWebRequest } from './to-web-request.ts';
import { complain } from './usage.ts';

/** `--browser`: the module for pages, and who takes what it sends, in the process of the proxy. */
export type BrowserPlan = {
  readonly path: string;
  readonly sample: number;
  readonly respectsPrivacySignal: boolean;
};

/** As the module has it without being told (packages/report/src/browser/start.ts). */
const defaultPath = '/_fr';
const parts = ['--browser-path', '--browser-sample', '--browser-gpc'] as const;

/** @throws WrongUse */
export function readBrowserPlan(values: ReadOptions['values']): BrowserPlan | undefined {
  if (!values.has('--browser')) {
    const given = parts.find((name) => values.has(name));
    if (given !== undefined) throw new WrongUse(`${given} means nothing without --browser`);
    return undefined;
  }
  const ownPath = values.get('--browser-path') ?? defaultPath;
  if (!/^(?:\/[\w.~-]+)+$/.test(ownPath)) throw new WrongUse('--browser-path is a path like /_fr');
  const text = values.get('--browser-sample') ?? '1';
  if (!/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.test(text)) throw new WrongUse('--browser-sample is a number from 0 to 1');
  return { path: ownPath, sample: Number(text), respectsPrivacySignal: values.has('--browser-gpc') };
}

function readBuilt(name: string): string {
  return readFileSync(path.join(findDist(), name), 'utf8');
}

/** In a script element of its own file nothing has to be escaped. */
function writeScript({ path: to, sample, respectsPrivacySignal: respectPrivacySignal }: BrowserPlan): string {
  const options = JSON.stringify({ to, sample, respectPrivacySignal });
  return readBuilt('page-script.js').replace('FLIGHT_OPTIONS', () => options);
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

type Receivers = {
  /** Who keeps what browsers tell; undefined while it is not there. */
  readonly readRecorder: () => RecorderAddress | undefined;
  /** Told what became of prefetches. */
  readonly noteReported: RunningWatch['noteReported'];
};

export function createPageScript(plan: BrowserPlan, { readRecorder, noteReported }: Receivers): PageScriptOptions {
  const onRefused = createRefusedTeller(readRecorder);
  const takeReport = createReportTaker({
    keep: (body, userAgent) => relayReport(readRecorder(), body, userAgent),
    headers: () => ({}),
    onRefused,
  });
  const takeReportedUse = createReportedUseTaker({ note: noteReported, onRefused });
  // Another proxy on this machine says whom it forwards.
  const readAddress = createAddressReader(['127.0.0.0/8', '::1/128']);

  async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const take = incoming.url === `${plan.path}/used` ? takeReportedUse : takeReport;
    await send(await take(toWebRequest(incoming), readAddress(incoming)), outgoing);
  }

  return {
    path: plan.path,
    script: writeScript(plan),
    secondPart: readBuilt('browser-second-part.js'),
    respectsPrivacySignal: plan.respectsPrivacySignal,
    say: complain,
    receive(incoming, outgoing) {
      receive(incoming, outgoing).catch((error: unknown) => {
        writeLog('warn', 'browser-report-failed', { reason: describeError(error) });
        outgoing.destroy();
      });
    },
  };
}

import { parseRecorderUrl } from '../recorder-url.ts';

import { createSender, type Sender } from './create-sender.ts';

function warn(message: string): void {
  console.warn(message);
}

const example = 'http://<secret key>@127.0.0.1:4000/<app>';

/** By address: a module that is evaluated twice in one process, as bundlers do, has one queue. */
declare global {
  var __FLIGHT_SENDERS__: Map<string, Sender | undefined> | undefined;
}

/** The sender for `FLIGHT_RECORDER`. Undefined, with one warning when it is no such address, if there is nowhere to send to. */
export function openSender(url: string | undefined): Sender | undefined {
  if (url === undefined || url === '') return undefined;
  const senders = (globalThis.__FLIGHT_SENDERS__ ??= new Map<string, Sender | undefined>());
  if (senders.has(url)) return senders.get(url);
  const address = parseRecorderUrl(url);
  if (!address) warn(`[flight-recorder] FLIGHT_RECORDER must be like ${example}; nothing is sent.`);
  const sender = address && createSender({ address, warn });
  senders.set(url, sender);
  return sender;
}

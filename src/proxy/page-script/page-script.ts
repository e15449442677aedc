import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { Framing, ResponseHead } from '../read-response.ts';
import { readCoding, type Coding } from './recode.ts';
import { chooseForm, type ScriptForm } from './read-policy.ts';

/**
 * The browser's module in the pages of an app that knows nothing of it: one tag behind `<head>`, and a path on the app's own port from
 * which the script comes and to which it sends. Where a page may not be changed, it is not, and the operator is told once why.
 */
export type PageScriptOptions = {
  /** `/_fr`: the app has no such path any more. */
  readonly path: string;
  /** What runs in the page. `FLIGHT_SECOND_PART` stands in it for the address of the other one. */
  readonly script: string;
  /** What the script loads when it needs it. */
  readonly secondPart: string;
  /** Takes what the script sends, below the path. */
  readonly receive: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** Nothing is added for visitors who send `Sec-GPC`. */
  readonly respectsPrivacySignal: boolean;
  /** One line for the operator. */
  readonly say: (line: string) => void;
};

/** What is added to one answer, and how that is compressed. */
type Addition = {
  readonly headers: readonly string[];
  readonly coding: Coding | 'identity';
  readonly text: string;
};

export type PageScript = {
  /** Whether the request is for the script, or for who takes what it sends. */
  readonly owns: (target: string) => boolean;
  readonly answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** Undefined: the answer stays as it is. */
  readonly addTo: (incoming: IncomingMessage, head: ResponseHead, framing: Framing) => Addition | undefined;
  readonly sayNoHead: () => void;
};

/** What is shown in frames is a page, too. A browser that says nothing may be asking for one. */
const destinations: ReadonlySet<unknown> = new Set(['document', 'iframe', 'frame', undefined]);
/** They speak of the bytes of the body, which will be others. */
const digests: ReadonlySet<string> = new Set(['content-digest', 'repr-digest', 'digest', 'content-md5', 'signature']);
const dropped: ReadonlySet<string> = new Set(['content-length', 'accept-ranges']);

function readHeaders(flat: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (let at = 0; at < flat.length; at += 2) {
    const name = (flat[at] ?? '').toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), flat[at + 1] ?? '']);
  }
  return headers;
}

/** The same page, byte for byte, is what a strong tag means: it is that no more. */
function changeHeaders(flat: readonly string[]): string[] {
  const changed: string[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    const [name = '', value = ''] = [flat[at], flat[at + 1]];
    const lower = name.toLowerCase();
    if (dropped.has(lower)) continue;
    changed.push(name, lower === 'etag' && value.startsWith('"') ? `W/${value}` : value);
  }
  return changed;
}

/**
 * It keeps the errors that come before the script is there, with what changed in the page at that moment, and what is written to the
 * console as one, and takes its own place in the page: React passes over a script with a source that is `async` when it takes over a
 * document.
 */
function writeEarly(source: string, nonce: string): string {
  return (
    `<script${nonce}>(function(d,w,c,s,o){w.__flightErrors=[];o=w.__flightObserver=new MutationObserver(function(){});` +
    'o.observe(d,{childList:true,subtree:true});["error","unhandledrejection","securitypolicyviolation"].forEach(function(t){' +
    'addEventListener(t,function(e){w.__flightErrors.push({event:e,records:o.takeRecords()})},true)});' +
    'c=console.error;console.error=function(){c.apply(console,arguments);' +
    's&&w.__flightErrors.push({args:[].slice.call(arguments)})};s=d.createElement("script");' +
    's.onerror=function(){o.disconnect();w.__flightErrors={push:Boolean}};' +
    `s.async=true;s.nonce=d.currentScript.nonce;s.src="${source}";d.currentScript.replaceWith(s)})(document,window)</script>`
  );
}

function writeTag(form: Exclude<ScriptForm, { type: 'forbidden' }>, source: string): string {
  const nonce = form.nonce === undefined ? '' : ` nonce="${form.nonce}"`;
  return form.type === 'early' ? writeEarly(source, nonce) : `<script src="${source}" async${nonce}></script>`;
}

type ScriptFile = { readonly source: string; readonly plain: Buffer; readonly packed: Buffer };

/** Under an address of its own for each content: a browser keeps it for good. */
function createFile(before: string, script: string): ScriptFile {
  const source = `${before}${hash('sha256', script).slice(0, 12)}.js`;
  return { source, plain: Buffer.from(script), packed: gzipSync(script, { level: 9 }) };
}

export function createPageScript(options: PageScriptOptions): PageScript {
  const { path, receive, respectsPrivacySignal, say } = options;
  const secondPart = createFile(`${path}/second-`, options.secondPart);
  const first = options.script.replace('FLIGHT_SECOND_PART', () => JSON.stringify(secondPart.source));
  const script = createFile(`${path}/`, first);
  const said = new Set<string>();

  function sayOnce(why: string, incoming: IncomingMessage): undefined {
    if (said.has(why)) return undefined;
    said.add(why);
    const [page = ''] = (incoming.url ?? '').split('?', 1);
    say(`--browser adds nothing to ${page}: ${why}`);
    return undefined;
  }

  function sendScript({ url = '', method, headers }: IncomingMessage, outgoing: ServerResponse): void {
    const takesGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
    const { source, plain, packed } = url.startsWith(`${path}/second-`) ? secondPart : script;
    const body = takesGzip ? packed : plain;
    outgoing.writeHead(200, {
      'content-type': 'text/javascript; charset=utf-8',
      // A page from a cache may name the script of an earlier version: it gets this one.
      'cache-control': url.split('?', 1)[0] === source ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      'content-length': body.length,
      ...(takesGzip ? { 'content-encoding': 'gzip' } : {}),
    });
    outgoing.end(method === 'HEAD' ? undefined : body);
  }

  function isPage(
    incoming: IncomingMessage,
    { status }: ResponseHead,
    headers: ReturnType<typeof readHeaders>,
  ): boolean {
    const [type = ''] = headers.get('content-type') ?? [];
    return (
      /^text\/html\s*(?:;|$)/i.test(type) &&
      !/charset\s*=\s*"?utf-(?:16|32)/i.test(type) &&
      destinations.has(incoming.headers['sec-fetch-dest']) &&
      status !== 206 &&
      !/^\s*attachment/i.test(headers.get('content-disposition')?.[0] ?? '')
    );
  }

  return {
    owns: (target) => target === path || target.startsWith(`${path}/`) || target.startsWith(`${path}?`),
    answer(incoming, outgoing) {
      const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
      if (isRead && /^[^?]*\.js(?:\?|$)/.test(incoming.url ?? '')) sendScript(incoming, outgoing);
      else receive(incoming, outgoing);
    },
    addTo(incoming, head, framing) {
      const headers = readHeaders(head.headers);
      if (framing === 'none' || !isPage(incoming, head, headers)) return undefined;
      if (respectsPrivacySignal && incoming.headers['sec-gpc'] === '1') return undefined;
      const coding = readCoding((headers.get('content-encoding') ?? []).join(', '));
      if (coding === undefined) {
        return sayOnce(`it is compressed as ${headers.get('content-encoding')?.join(', ')}`, incoming);
      }
      if (/\bno-transform\b/i.test(headers.get('cache-control')?.join() ?? '')) {
        return sayOnce('its Cache-Control says no-transform', incoming);
      }
      const digest = [...headers.keys()].find((name) => digests.has(name));
      if (digest !== undefined) return sayOnce(`it has a ${digest}`, incoming);
      const form = chooseForm(headers.get('content-security-policy') ?? [], incoming.headers.host ?? '');
      if (form.type === 'forbidden') {
        return sayOnce(`${form.directive} of its Content-Security-Policy forbids it`, incoming);
      }
      return { headers: changeHeaders(head.headers), coding, text: writeTag(form, script.source) };
    },
    sayNoHead() {
      if (said.has('no head')) return;
      said.add('no head');
      say('--browser adds nothing to answers of text/html without a <head>');
    },
  };
}

import type { FlightChunk } from './flight.ts';

/**
 * A page carries its own Flight payload in scripts, which the browser reads back as bytes. React's text is pushed as a
 * string, which the browser encodes again; a chunk that is not UTF-8 (part of a typed array) goes as base64.
 */
// A byte order mark at the start of a chunk is part of the page's text.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(chunk: Uint8Array): string | undefined {
  try {
    return utf8.decode(chunk);
  } catch {
    // Only the decoder can tell: these are bytes.
    return undefined;
  }
}

/** Inside a script element, HTML looks for three texts: `<!--`, `<script` and `</script`. */
function escapeScript(json: string): string {
  return json.includes('<') ? json.replace(/<(?=!--|\/?script)/gi, '\\u003c') : json;
}

function push(expression: string): string {
  return `(self.__FLIGHT_DATA||=[]).push(${expression});`;
}

/** One script element that hands `chunks` to the page's Flight client; empty for no chunks. */
export function toFlightScript(chunks: readonly FlightChunk[], openTag: string): string {
  let code = '';
  let text = '';
  for (const chunk of chunks) {
    const decoded = typeof chunk === 'string' ? chunk : decode(chunk);
    if (decoded !== undefined) {
      text += decoded;
      continue;
    }
    if (text) code += push(escapeScript(JSON.stringify(text)));
    text = '';
    const base64 = Buffer.from(chunk).toString('base64');
    code += push(`Uint8Array.from(atob("${base64}"),(c)=>c.charCodeAt(0))`);
  }
  if (text) code += push(escapeScript(JSON.stringify(text)));
  return code ? `${openTag}${code}</script>` : '';
}

/** `<script>`, with the nonce of the page's content security policy when it has one. */
export function openScript(nonce: string | undefined): string {
  if (nonce === undefined) return '<script>';
  const escaped = nonce.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<script nonce="${escaped}">`;
}

import { encodeText } from '#src/http/encode-text.ts';

/**
 * Takes the values of secret query parameters out of a payload, in place: Waku puts the query into every payload
 * (`"ROUTE":["/reset","token=…"]`), and a page may show it again. Each byte becomes an asterisk, because the lengths in
 * front of Flight's text rows count bytes.
 */
type Secret = { readonly name: string; readonly value: string };

/** A shorter value, `1` say, is found everywhere by chance; it is covered only next to its name. */
const shortestAlone = 6;

function spell(value: string): Set<string> {
  const asQuery = new URLSearchParams([['', value]]).toString().slice(1);
  return new Set([value, asQuery, encodeText(value), JSON.stringify(value).slice(1, -1)]);
}

function coverEach(bytes: Buffer, needle: string, from: number): void {
  const length = Buffer.byteLength(needle);
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + length)) {
    bytes.fill('*', at + from, at + length);
  }
}

/** Changes `bytes`. */
export function coverSecrets(bytes: Buffer, secrets: readonly Secret[]): void {
  for (const { name, value } of secrets) {
    if (value === '') continue;
    for (const spelled of spell(value)) {
      for (const key of spell(name)) coverEach(bytes, `${key}=${spelled}`, Buffer.byteLength(key) + 1);
      if (value.length >= shortestAlone) coverEach(bytes, spelled, 0);
    }
  }
}

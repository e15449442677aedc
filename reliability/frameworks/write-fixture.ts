import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Exchange } from './capture-proxy.ts';
import type { ExpectedExchange, Framework } from './expected-exchange.ts';

const folder = path.join(import.meta.dirname, '../../src/flights/watch/fixtures');
/** A fixture is read in a diff, and all of them stand in the repository. */
const largestFixture = 60_000;
const host = /127\.0\.0\.1:\d+/g;

/** One value of a flat list in each line, two for headers: name and value. */
function printPairs(values: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index < values.length; index += 2) {
    lines.push(
      `      ${JSON.stringify(values[index])}, ${JSON.stringify(values[index + 1]?.replace(host, 'app.example'))}`,
    );
  }
  return `[\n${lines.join(',\n')}\n    ]`;
}

function printChunks(chunks: Exchange['chunks']): string {
  return `[\n${chunks.map(([time, bytes]) => `    [${time}, "${bytes.toString('base64')}"]`).join(',\n')}\n  ]`;
}

/** Writes what was sent, byte for byte. Only the host is another: it names a port of the machine that ran the test. */
export function writeFixture(
  { name, framework }: Framework,
  exchange: Exchange,
  expected: ExpectedExchange,
  facts: { readonly digests: readonly string[]; readonly actionId: string | undefined },
): void {
  const { method, target, requestHeaders, requestBody, status, responseHeaders, chunks } = exchange;
  const { kind, route, content = 'flight' } = expected;
  const body = requestBody.length === 0 ? '' : `,\n    "body": "${requestBody.toString('base64')}"`;
  const text = `{
  "request": {
    "method": ${JSON.stringify(method)},
    "target": ${JSON.stringify(target)},
    "headers": ${printPairs(requestHeaders)}${body}
  },
  "response": {
    "status": ${status},
    "headers": ${printPairs(responseHeaders)}
  },
  "chunks": ${printChunks(chunks)},
  "expected": ${JSON.stringify({ framework, kind, route, content, ...facts })}
}
`;
  if (text.length > largestFixture) throw new Error(`${name}/${expected.name} has ${text.length} bytes`);
  mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, name, `${expected.name}.json`), text);
}

import { randomBytes } from 'node:crypto';

const digestLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function createDigest(): string {
  return Array.from(randomBytes(10), (byte) => digestLetters.charAt(byte % 32)).join('');
}

/**
 * The largest report that a stranger can make: a megabyte of control characters, six bytes each in JSON, each report
 * under its own digest.
 */
export function createWorstReport(): Uint8Array {
  const text = '\u0001';
  const frames = Array.from({ length: 50 }, () => ({
    function: text.repeat(256),
    filename: text.repeat(1_024),
    lineno: 1,
    colno: 1,
  }));
  const data = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, text.repeat(60)]));
  const breadcrumbs = Array.from({ length: 100 }, () => ({ timestamp: 1, message: text.repeat(100), data }));
  const event = {
    event_id: randomBytes(16).toString('hex'),
    tags: { digest: createDigest() },
    exception: { values: [{ type: 'Error', value: text.repeat(8_192), stacktrace: { frames } }] },
    contexts: { react: { componentStack: text.repeat(8_192) } },
    breadcrumbs,
  };
  return new TextEncoder().encode(`{}\n{"type":"event"}\n${JSON.stringify(event)}`);
}

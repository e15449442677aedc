import { judgeRequest } from '#flight';

/**
 * What it costs to look at the body of a call (`--block-forged` does it before the app sees the request): processor time, since a busy
 * machine lengthens other times, the median of rounds. The first of each is what a process pays whose code is not compiled yet.
 */
const rounds = 15;
const millisecondsPerRound = 100;

const boundary = '----WebKitFormBoundary0123456789abcdef';
const encoder = new TextEncoder();

function writeForm(fields: readonly (readonly [string, string])[]): Uint8Array {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return encoder.encode(`${parts.join('')}--${boundary}--\r\n`);
}

function createOrder(lines: number): string {
  const items = Array.from({ length: lines }, (_, index) => ({
    id: index,
    name: `Article ${index}`,
    price: 9.5,
    tags: ['new'],
  }));
  return JSON.stringify([{ customer: 'somebody', note: 'at the back door', items }]);
}

const form = [
  ['_1_name', 'Ada'],
  ['_1_email', 'ada@example.com'],
  ['_1_message', 'Hello. '.repeat(50)],
  ['0', '["$undefined","$K1"]'],
] as const;

const calls: readonly (readonly [string, Uint8Array, string])[] = [
  ['a call with one text', encoder.encode('["Ada"]'), 'text/plain;charset=UTF-8'],
  ['a form of three fields', writeForm(form), `multipart/form-data; boundary=${boundary}`],
  ['an order of 20 lines', encoder.encode(createOrder(20)), 'text/plain;charset=UTF-8'],
  ['an order of 1,000 lines', encoder.encode(createOrder(1_000)), 'text/plain;charset=UTF-8'],
  ['an order of 1,500 lines', encoder.encode(createOrder(1_500)), 'text/plain;charset=UTF-8'],
];

function measureOnce(run: () => void): number {
  const begun = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

function measure(run: () => void): number {
  const until = performance.now() + millisecondsPerRound;
  let count = 0;
  const milliseconds = measureOnce(() => {
    while (performance.now() < until) {
      run();
      count += 1;
    }
  });
  return milliseconds / count;
}

for (const [name, body, contentType] of calls) {
  const judge = () => {
    const { kind } = judgeRequest({ body, contentType, isCall: true, isWhole: true });
    if (kind !== 'possible') throw new Error(`${name} is ${kind}`);
  };
  const first = measureOnce(judge);
  const all = Array.from({ length: rounds }, () => measure(judge)).toSorted((a, b) => a - b);
  const median = all[Math.floor(rounds / 2)] ?? 0;
  console.log(
    `${name} (${body.length} bytes): ${median.toFixed(4)} ms of processor time; the first ${first.toFixed(2)} ms`,
  );
}

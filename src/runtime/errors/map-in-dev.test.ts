import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createServer, createServerModuleRunner } from 'vite';
import { beforeEach, expect, it, onTestFinished } from 'vitest';

import { resolveFrames } from './source-maps.ts';
import { parseStack } from '#report/stack.ts';

/** The compiler leaves the types out, so that the code runs on other lines than it was written. */
const source = `type Order = {
  id: string;
};
type Kept = Order & {
  lines: string[];
};

export function fail(order: Kept): never {

  throw new RangeError(
    \`no price of \${order.id}\`,
  );
}

/** So that the module as it runs has the source's lines, too, with something else on them. */
export function list(orders: Kept[]): string[] {
  const ids: string[] = [];
  for (const order of orders) {
    ids.push(order.id);
    ids.push(...order.lines);
  }
  return ids;
}
`;

beforeEach(() => {
  const { prepareStackTrace } = Error;
  onTestFinished(() => {
    Error.prepareStackTrace = prepareStackTrace;
  });
  // Vitest's own translation.
  Reflect.deleteProperty(Error, 'prepareStackTrace');
});

/** An error of a module as Vite's module runner runs it, whose stack nobody has read. */
async function failInDev(): Promise<{ root: string; error: Error }> {
  const root = mkdtempSync(path.join(tmpdir(), 'map-in-dev-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(path.join(root, 'src'));
  const file = path.join(root, 'src/orders.ts');
  writeFileSync(file, source);
  const vite = await createServer({ root, configFile: false, logLevel: 'silent', server: { middlewareMode: true } });
  onTestFinished(() => vite.close());
  const runner = createServerModuleRunner(vite.environments.ssr, { hmr: false });
  onTestFinished(() => runner.close());
  const { fail }: { fail: (order: unknown) => never } = await runner.import(file);
  try {
    return fail({ id: '7' });
  } catch (error) {
    if (error instanceof Error) return { root, error };
    throw error;
  }
}

function readPlace(root: string, error: Error) {
  const frames = parseStack(error.stack ?? '', error.message);
  return resolveFrames(frames, root, { type: 'sources' })[0];
}

const place = { fn: 'fail', source: 'src/orders.ts', line: 10, column: 9, inApp: true };

it('leaves a stack as it is that Node has translated', async () => {
  const { root, error } = await failInDev();
  expect(error.stack).toContain('src/orders.ts:10:9');
  expect(readPlace(root, error)).toMatchObject(place);
});

it('translates a stack that React was the first to read', async () => {
  const { root, error } = await failInDev();
  Error.prepareStackTrace = ({ name, message }, sites) => `${name}: ${message}\n    at ${sites.join('\n    at ')}`;
  expect(error.stack).not.toContain('src/orders.ts:10:9');
  expect(readPlace(root, error)).toMatchObject(place);
});

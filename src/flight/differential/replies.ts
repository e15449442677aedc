import { buildValue } from './build-value.ts';
import { type Description, describeReactValue } from './describe-react.ts';
import type { Plan } from './plans.ts';
import { isModuleExport, type ReactLine } from './react-lines.ts';

/** What React's client of `line` sends for `plan` as an action's arguments. */
export async function encodeReply(plan: Plan, line: ReactLine): Promise<string | FormData> {
  return line.client.encodeReply(buildValue(plan, line, 'client'), {
    temporaryReferences: line.client.createTemporaryReferenceSet(),
  });
}

/** A server manifest that knows every action. */
const serverManifest = new Proxy(
  {},
  {
    get: (_target, id) => (typeof id === 'string' ? { id, chunks: [], name: 'default' } : undefined),
    getOwnPropertyDescriptor: (_target, id) => ({ value: id, configurable: true, enumerable: true }),
    has: () => true,
  },
);

/** What React's own server of `line` makes of a reply. */
export async function describeReplyWithReact(body: string | FormData, line: ReactLine): Promise<Description> {
  const temporaryReferences = line.server.createTemporaryReferenceSet();
  const root = line.server.decodeReply(body, serverManifest, { temporaryReferences });
  async function describeKnown(value: unknown, describe: (inner: unknown) => Promise<Description>) {
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') {
      const path = temporaryReferences.get(value);
      if (path !== undefined) return { temporary: path };
    }
    if (!isModuleExport(value)) return undefined;
    const bound: Description[] = [];
    for (const argument of value.bound) bound.push(await describe(argument));
    return { action: value.module, bound };
  }
  return describeReactValue(root, { describeError: () => 'failed', describeKnown });
}

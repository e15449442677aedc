import type { BlobPlan, BytesType, ElementType, Plan, SequenceEnd } from './plans.ts';
import { isNewest, quietConsole, type ReactLine } from './react-lines.ts';

/** The digest of every failure that a plan asks for; `onError` answers with it. */
export const plannedDigest = 'planned';

export class PlannedFailure extends Error {
  digest = plannedDigest;
}

type Side = 'server' | 'client';
type Building = {
  line: ReactLine;
  side: Side;
  /** Arrays and objects that a later plan may refer to. */
  seen: unknown[];
  /** Those of them that still get items: to refer to one makes a cycle. */
  open: Set<unknown>;
  mayCycle: boolean;
  inSequence: boolean;
  inStream: boolean;
};

/** A value for `line` made from `plan`; one for each use. `side` is who encodes it. */
export function buildValue(plan: Plan, line: ReactLine, side: Side): unknown {
  return build(plan, {
    line,
    side,
    seen: [],
    open: new Set(),
    mayCycle: true,
    inSequence: false,
    inStream: false,
  });
}

function build(plan: Plan, building: Building): unknown {
  switch (plan.kind) {
    case 'plain':
      return plan.value;
    case 'text':
      return plan.unit.repeat(plan.times);
    case 'date':
      return new Date(plan.time);
    case 'symbol':
      return Symbol.for(plan.name);
    case 'seen':
      return pickSeen(plan.index, building);
    case 'function':
      // It travels as the path to it, and there is none into a sequence.
      return building.inSequence ? null : () => {};
    case 'error':
      return buildError(plan, building);
    case 'blob':
      // React's client closes a stream too early whose items wait for one another.
      return building.inStream ? plan.bytes.slice() : buildBlob(plan);
    case 'bytes':
      return buildBytes(plan.type, plan.bytes);
    case 'byte-stream':
      return buildByteStream(plan.chunks);
    case 'form':
      return buildForm(
        building.inStream ? plan.entries.filter(([, value]) => typeof value === 'string') : plan.entries,
      );
    case 'array':
    case 'object':
    case 'map':
    case 'set':
      return buildContainer(plan, building);
    case 'iterator':
      return plan.items.map((item) => build(item, building))[Symbol.iterator]();
    case 'async-iterable':
    case 'stream':
    case 'promise':
      return buildLater(plan, building);
    case 'client-reference':
      return buildClientReference(plan, building);
    case 'server-reference':
      return buildServerReference(plan.id, plan.bound, building);
    case 'element':
    case 'component':
    case 'lazy':
      return buildComponent(plan, building);
    default:
      return plan satisfies never;
  }
}

function pickSeen(index: number, { seen, open, mayCycle }: Building) {
  const candidates = mayCycle ? seen : seen.filter((value) => !open.has(value));
  return candidates.length === 0 ? null : candidates[index % candidates.length];
}

/**
 * Later plans may refer to arrays and objects, and what stands in them as well: that makes cycles. Not in a sequence:
 * React's server writes an item that contains itself over and over, without end. Nor through a Map or a Set, where
 * React's client puts null; what a key of theirs refers to may become the same as another key only in the browser.
 */
function buildContainer(plan: Extract<Plan, { kind: 'array' | 'object' | 'map' | 'set' }>, building: Building) {
  switch (plan.kind) {
    case 'array': {
      const items: unknown[] = [];
      if (!building.inSequence) building.seen.push(items);
      building.open.add(items);
      for (const item of plan.items) items.push(build(item, building));
      building.open.delete(items);
      return items;
    }
    case 'object': {
      const object = {};
      if (!building.inSequence) building.seen.push(object);
      building.open.add(object);
      for (const [key, value] of plan.entries) define(object, key, build(value, insideMember(key, building)));
      building.open.delete(object);
      return object;
    }
    case 'map': {
      const map = new Map<unknown, unknown>();
      const inside = { ...building, mayCycle: false };
      for (const [key, value] of plan.entries) {
        const builtKey = build(key, { ...inside, seen: [] });
        // Two references to one action are one function on the server, and one key.
        if (building.side === 'server' || typeof builtKey !== 'function') map.set(builtKey, build(value, inside));
      }
      return map;
    }
    case 'set': {
      const set = new Set<unknown>();
      for (const item of plan.items) {
        const built = build(item, { ...building, mayCycle: false, seen: [] });
        if (building.side === 'server' || typeof built !== 'function') set.add(built);
      }
      return set;
    }
    default:
      return plan satisfies never;
  }
}

/**
 * Also for a key such as `__proto__`, which an assignment would take for the prototype. An object whose `then` is a
 * function, or becomes one in the browser, would be a promise, and not what its plan says.
 */
function define(object: object, key: string, value: unknown) {
  const isThen = key === 'then' && (typeof value === 'function' || (typeof value === 'object' && value !== null));
  if (isThen) return;
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function buildError({ message, cause, errors }: Extract<Plan, { kind: 'error' }>, building: Building) {
  const options = cause ? { cause: build(cause, building) } : undefined;
  if (!errors) return new PlannedFailure(message, options);
  const built = errors.map((error) => build(error, building));
  return new AggregateError(built, message, options);
}

function buildBlob({ bytes, type, name }: BlobPlan) {
  const parts = [bytes.slice()];
  return name === null ? new Blob(parts, { type }) : new File(parts, name, { type });
}

function buildForm(entries: readonly [string, string | BlobPlan][]) {
  const form = new FormData();
  for (const [name, value] of entries) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, buildBlob(value));
  }
  return form;
}

const bytesConstructors = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
};

/** As much of `bytes` as fills whole elements. */
function buildBytes(type: BytesType, bytes: Uint8Array) {
  if (type === 'ArrayBuffer') return bytes.slice().buffer;
  if (type === 'DataView') return new DataView(bytes.slice().buffer);
  const TypedArray = bytesConstructors[type];
  const whole = bytes.length - (bytes.length % TypedArray.BYTES_PER_ELEMENT);
  return new TypedArray(bytes.slice(0, whole).buffer);
}

function buildByteStream(chunks: readonly Uint8Array[]) {
  return new ReadableStream({
    type: 'bytes',
    async start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(chunk.slice());
        await turns(1);
      }
      controller.close();
      // A reader that brought its own buffer learns of the end only so.
      controller.byobRequest?.respond(0);
    },
  });
}

/** Lets `count` rounds of everything that waits go first, so that the encoder flushes in between. */
async function turns(count: number) {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function buildLater(plan: Extract<Plan, { kind: 'async-iterable' | 'stream' | 'promise' }>, building: Building) {
  switch (plan.kind) {
    case 'promise':
      return buildPromise(plan.value, plan, building);
    case 'stream': {
      // React's server may wait for ever for what stands in a stream that fails before it was read.
      const kept = plan.fails ? plan.items.filter(({ kind }) => kind === 'plain') : plan.items;
      const items = kept.map((item) => build(item, { ...insideSequence(building), inStream: true }));
      return buildStream(items, plan.fails);
    }
    case 'async-iterable':
      return buildAsyncIterable(plan, building);
    default:
      return plan satisfies never;
  }
}

function buildPromise(value: Plan, { turns: count, fails }: { turns: number; fails: boolean }, building: Building) {
  const built = fails ? undefined : build(value, insideReplyPart(building));
  const promise = turns(count).then(() => {
    if (fails) throw new PlannedFailure('planned');
    return built;
  });
  // The encoder listens in its own time; until then a failure must not count as unhandled.
  promise.catch(() => {});
  return promise;
}

function insideSequence(building: Building): Building {
  return { ...building, seen: [], inSequence: true };
}

/**
 * A path's parts are joined by colons, so that none leads through a key with a colon: no function travels there. And
 * React's client follows no path through `__proto__`.
 */
function insideMember(key: string, building: Building): Building {
  const hasNoPath = key === '__proto__' || (building.side === 'client' && key.includes(':'));
  return hasNoPath ? insideSequence(building) : building;
}

/**
 * What a component gives is rendered again in each place, and so would be all that it refers to: without end where that
 * holds the component, and with references to rows that come later, which older clients read as null.
 */
function insideComponent(building: Building): Building {
  return { ...building, seen: [], mayCycle: false };
}

/** React's server waits for ever for an argument whose promise or bound arguments refer back to what holds them. */
function insideReplyPart(building: Building): Building {
  return building.side === 'client' ? insideSequence(building) : building;
}

function buildStream(items: readonly unknown[], fails: boolean) {
  return new ReadableStream({
    async start(controller) {
      for (const item of items) {
        controller.enqueue(item);
        await turns(1);
      }
      if (fails) controller.error(new PlannedFailure('planned'));
      else controller.close();
    },
  });
}

function buildAsyncIterable(plan: { once: boolean; items: Plan[]; end: SequenceEnd }, building: Building) {
  const inside = insideSequence(building);
  const items = plan.items.map((item) => build(item, inside));
  const result = plan.end.kind === 'return' ? build(plan.end.value, inside) : undefined;
  async function* generate() {
    for (const item of items) {
      yield item;
      await turns(1);
    }
    if (plan.end.kind === 'throw') throw new PlannedFailure('planned');
    return result;
  }
  return plan.once ? generate() : { [Symbol.asyncIterator]: generate };
}

function buildClientReference(
  { module, exported, isAsync }: { module: string; exported: string; isAsync: boolean },
  { line }: Building,
) {
  const id = isAsync ? `${module}?async` : module;
  // Before 19.3 React does not escape a module's id or name, and its own client takes `$…` for a reference.
  if (isNewest(line.name)) return line.server.registerClientReference(() => {}, id, exported);
  return line.server.registerClientReference(() => {}, id.replace('$', ''), exported === '$' ? 'default' : exported);
}

function buildServerReference(id: string, bound: readonly Plan[] | null, building: Building): unknown {
  const args = bound?.map((argument) => build(argument, insideReplyPart(building))) ?? null;
  if (building.side === 'client') {
    const reference = building.line.client.createServerReference(id, () => {});
    return args && typeof reference === 'function' ? reference.bind(null, ...args) : reference;
  }
  const reference = building.line.server.registerServerReference(async () => {}, id, null);
  return args && typeof reference === 'function' ? reference.bind(null, ...args) : reference;
}

function buildElementType(type: ElementType, building: Building): unknown {
  switch (type.kind) {
    case 'tag':
      return type.name;
    case 'client':
      return buildClientReference(type, building);
    case 'built-in':
      return building.line.react[type.name];
    default:
      return type satisfies never;
  }
}

function buildComponent(plan: Extract<Plan, { kind: 'element' | 'component' | 'lazy' }>, building: Building) {
  const { react } = building.line;
  switch (plan.kind) {
    case 'element': {
      const props: Record<string, unknown> = {};
      for (const [name, value] of plan.props) {
        // React takes these two for its own.
        if (name !== 'key' && name !== '__proto__') define(props, name, build(value, building));
      }
      return react.createElement(buildElementType(plan.type, building), { ...props, ...keyed(plan.key) });
    }
    case 'component': {
      const result = plan.fails ? undefined : build(plan.result, insideComponent(building));
      async function Later() {
        await turns(plan.kind === 'component' ? plan.turns : 0);
        return result;
      }
      function Component() {
        // The inside of a stream or a promise is another for each run.
        quietConsole.log('rendered', plan.kind, typeof result === 'object' ? '' : result);
        if (plan.kind === 'component' && plan.fails) throw new PlannedFailure('planned');
        return plan.kind === 'component' && plan.turns > 0 ? Later() : result;
      }
      // React's server gives the key on to what the component gives, and may not end for a stream with a key.
      return react.createElement(Component, keyed(mayHaveKey(plan.result) ? plan.key : null));
    }
    case 'lazy': {
      const value = buildPromise(plan.value, plan, insideComponent(building));
      return react.lazy(async () => ({ default: await value }));
    }
    default:
      return plan satisfies never;
  }
}

function keyed(key: string | null) {
  return key === null ? {} : { key };
}

function mayHaveKey({ kind }: Plan) {
  return kind === 'plain' || kind === 'array' || kind === 'object' || kind === 'element';
}

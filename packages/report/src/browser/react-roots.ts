import { isRecord } from '#boundary';

/**
 * React tells the component stack of an error to the root's own handlers alone, and in an app those are the framework's. Each root keeps
 * them in itself: they are called through here, before they do what they did. This is no contract of React's (19 has it so). Where
 * it is otherwise nothing is found, and an error is reported without that stack.
 */
type Told = (
  error: unknown,
  mechanism: 'caught' | 'uncaught' | 'recoverable',
  componentStack: string | undefined,
) => void;

const handlers = [
  ['onCaughtError', 'caught'],
  ['onUncaughtError', 'uncaught'],
  ['onRecoverableError', 'recoverable'],
] as const;

/** A root's element has one property of this name, with random characters behind it. */
const containerKey = '__reactContainer$';

function findRoot(element: Element | Document): Record<string, unknown> | undefined {
  const key = Object.keys(element).find((name) => name.startsWith(containerKey));
  const fiber: unknown = key === undefined ? undefined : Reflect.get(element, key);
  const root: unknown = isRecord(fiber) ? fiber['stateNode'] : undefined;
  return isRecord(root) ? root : undefined;
}

function wrap(root: Record<string, unknown>, tell: Told): void {
  for (const [name, mechanism] of handlers) {
    const original = root[name];
    if (typeof original !== 'function') continue;
    root[name] = (error: unknown, info: unknown) => {
      const stack = isRecord(info) ? info['componentStack'] : undefined;
      tell(error, mechanism, typeof stack === 'string' ? stack : undefined);
      return Reflect.apply(original, undefined, [error, info]);
    };
  }
}

/**
 * Looks for roots when React makes the first: it then listens to `selectionchange` of the document, before it takes over what the server
 * sent. And, where another version does not, when the document is there and complete, and before each of the first acts.
 */
export function watchReactRoots(tell: Told): void {
  const known = new WeakSet<object>();
  const acts = ['pointerdown', 'keydown'] as const;
  const { addEventListener: listen } = document;
  function look(): void {
    for (const element of [document, document.body, ...(document.body?.children ?? [])]) {
      const root = element && findRoot(element);
      if (!root || known.has(root)) continue;
      known.add(root);
      wrap(root, tell);
      for (const act of acts) removeEventListener(act, look, true);
    }
  }
  document.addEventListener = (...args: Parameters<Document['addEventListener']>) => {
    listen.apply(document, args);
    if (args[0] === 'selectionchange') look();
  };
  document.addEventListener('readystatechange', look);
  addEventListener('load', look);
  for (const act of acts) addEventListener(act, look, { capture: true, passive: true });
}

import { readToWorker, type ToPrimary, type ToWorker } from './messages.ts';

/** A worker's end of the channel to its primary. When the primary ends, Node ends the worker (primary/join-primary.ts). */
export function tellPrimary(message: ToPrimary): void {
  // Without a channel the primary is gone, and this process is about to end.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

type Told<Type extends ToWorker['type']> = Extract<ToWorker, { type: Type }>;

const listeners = new Set<(message: ToWorker) => void>();

function hear(raw: unknown): void {
  const message = readToWorker(raw);
  if (message) for (const listener of listeners) listener(message);
}

/** @returns what ends it */
export function onPrimary<const Type extends ToWorker['type']>(
  type: Type,
  act: (message: Told<Type>) => void,
): () => void {
  function isOfType(message: ToWorker): message is Told<Type> {
    return message.type === type;
  }
  function listen(message: ToWorker): void {
    if (isOfType(message)) act(message);
  }
  if (listeners.size === 0) process.on('message', hear);
  listeners.add(listen);
  return () => {
    listeners.delete(listen);
    if (listeners.size === 0) process.off('message', hear);
  };
}

import 'server-only';

import { renderToPipeableStream } from 'virtual:flight-recorder/flight-server';

import { createFlight } from './flight.ts';

/**
 * Keeps V8 from compiling React's serialiser again and again.
 *
 * The serialiser reads `value[name]` for each name of an object. V8 reads most objects past that line's cache; only objects
 * in dictionary mode, from which a property was deleted, fill it. Where a page has just one of them, the cache says that the name is
 * always that one. The compiled code then fails at every other object, is thrown away, and compiled again with the same cache: more
 * than once for each page, with the serialiser in the interpreter most of the time.
 *
 * Such an object is common: a static layout that gives a client component a property that is undefined. Flight's client, which
 * decodes the layout, deletes it. So objects with many names are serialised before the first page: the cache then relies on none.
 */
/** Enough calls for V8 to begin a cache. It begins one with the ninth, and a cache gives up after the fourth name. */
const objectCount = 64;

/** Makes an object in dictionary mode: the property that was deleted is not the last one. */
function createSlow(name: string): object {
  const object = { deleted: 0, [name]: 0 };
  Reflect.deleteProperty(object, 'deleted');
  return object;
}

export function learnShapes(): void {
  const model = Array.from({ length: objectCount }, (_, number) => createSlow(`name${number}`));
  renderToPipeableStream(model, { onError: () => undefined }).pipe(createFlight().destination);
}

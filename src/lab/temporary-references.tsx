/**
 * Temporary references
 *
 * A client component calls an action with a text, an element and a function. How does something come back that the server cannot
 * read? The two rows here do not show it: open the experiment, press its button, then “all flights of this visit”, the POST, and the
 * arguments in its details.
 *
 * Look for: In the arguments the element and the function are `"$T"`: the title is there, the picture’s text is nowhere. The server
 * can only pass them back, and its answer refers to each by its place in the arguments, such as `"$T0:0:picture"`. The browser puts
 * the very same element and function back.
 */
import { Decorator } from './temporary-references/decorator.tsx';

export const group = 'A course, step by step';
export const order = 12;

export default function TemporaryReferences() {
  return <Decorator />;
}

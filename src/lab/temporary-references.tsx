/**
 * Temporary references
 *
 * A client component calls an action with a text, an element and a function. Functions cannot travel, and elements are of no use
 * to the server; it is given a stand-in for each, which it can only pass back.
 *
 * Look for: The action’s own flight. In its arguments the two are `"$T"`: the title is there, the picture’s text is
 * nowhere. The answer names them by the place that they had, `"$T0:0:picture"`, and the browser puts the very same element
 * and function back.
 */
import { Decorator } from './temporary-references/decorator.tsx';

export const group = 'What goes over the wire';
export const order = 7;

export default function TemporaryReferences() {
  return <Decorator />;
}

/**
 * A server function as a prop
 *
 * A server component gives a function to a client component. The function adds two numbers and stays on the server; the button calls
 * it. What does a browser get in place of a function?
 *
 * Look for: A row with an `"id"` and no code, and the prop `"$h…"`, which refers to it. Press the button, and the browser sends that
 * id and the arguments by POST. Everybody who has the id can call the function, with any arguments: it has to check them.
 */
import { addNumbers } from './actions/add-numbers.ts';
import { AddButton } from './action-props/add-button.tsx';

export const group = 'A course, step by step';
export const order = 10;

export default function ActionProps() {
  return <AddButton add={addNumbers} />;
}

/**
 * Hello
 * A server component sends a greeting at once, and a list a moment later.
 *
 * Look for: the list is a row of its own, which comes when it is ready. Change the text, add an item, or wait longer, and save:
 * the page says what that does to the wire.
 */
import { Suspense } from 'react';

async function List() {
  await new Promise((resolve) => setTimeout(resolve, 300));
  const items = ['one', 'two', 'three'];
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}

export default function Hello() {
  return (
    <>
      <p>Hello from the server.</p>
      <Suspense fallback={<p>The list is on its way.</p>}>
        <List />
      </Suspense>
    </>
  );
}

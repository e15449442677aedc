import { createFileRoute } from '@tanstack/react-router';
import { createServerFn } from '@tanstack/react-start';
import { useState } from 'react';

const greet = createServerFn({ method: 'POST' })
  .validator((name) => String(name))
  .handler(async ({ data }) => `Hello ${data}`);

const fail = createServerFn({ method: 'POST' })
  .validator((name) => String(name))
  .handler(async ({ data }) => {
    throw new Error(`No greeting for ${data}`);
  });

export const Route = createFileRoute('/act')({ component: Act });

function Act() {
  const [text, setText] = useState('');
  const run = async (action) => {
    try {
      setText(await action({ data: 'Ada' }));
    } catch (error) {
      setText(`failed: ${error.digest}`);
    }
  };
  return (
    <main>
      <h1>Act</h1>
      <button onClick={() => run(greet)}>Greet</button> <button onClick={() => run(fail)}>Fail</button>
      <p id="result">{text}</p>
    </main>
  );
}

'use client';

import { useState } from 'react';
import { fail, greet } from './actions.js';

export function Buttons() {
  const [text, setText] = useState('');
  const run = async (action) => {
    try {
      setText(await action('Ada'));
    } catch (error) {
      setText(`failed: ${error.digest}`);
    }
  };
  return (
    <>
      <button onClick={() => run(greet)}>Greet</button> <button onClick={() => run(fail)}>Fail</button>
      <p id="result">{text}</p>
    </>
  );
}

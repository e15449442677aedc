'use client';

import { useState } from 'react';

type AddButtonProps = { readonly add: (first: number, second: number) => Promise<number | string> };

/** It knows of the function only that it can be called. */
export function AddButton({ add }: AddButtonProps) {
  const [answer, setAnswer] = useState('nothing yet');
  return (
    <p>
      <button type="button" onClick={() => void add(40, 2).then((sum) => setAnswer(String(sum)))}>
        Add 40 and 2
      </button>{' '}
      The answer: <output data-testid="sum">{answer}</output>
      <noscript> This button needs JavaScript.</noscript>
    </p>
  );
}

'use client';

import { useState } from 'react';

import { readRefusal } from '#src/runtime/actions/action-errors.ts';

import { addNumbers } from './add-numbers.ts';

export function PlainCall() {
  const [answer, setAnswer] = useState('nothing yet');

  async function add() {
    try {
      setAnswer(String(await addNumbers(40, 2)));
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      setAnswer(`not carried out (${refusal.code})`);
    }
  }

  return (
    <p>
      <button type="button" onClick={() => void add()}>
        Add 40 and 2
      </button>{' '}
      The answer: <output data-testid="sum">{answer}</output>
      <noscript> This button needs JavaScript.</noscript>
    </p>
  );
}

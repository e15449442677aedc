'use client';

import { useState } from 'react';

import { readRefusal } from '#src/runtime/actions/action-errors.ts';

import { meetOthers } from './meet-others.ts';

export function Together({ visitorKey }: { visitorKey: string }) {
  const [met, setMet] = useState('nobody has called yet');

  async function callThree() {
    setMet('waiting …');
    try {
      const counts = await Promise.all([meetOthers(visitorKey), meetOthers(visitorKey), meetOthers(visitorKey)]);
      setMet(counts.join(', '));
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      setMet(`not carried out (${refusal.code})`);
    }
  }

  return (
    <p>
      <button type="button" onClick={() => void callThree()}>
        Call three at once
      </button>{' '}
      On the server together: <output data-testid="together">{met}</output>
      <noscript> This button needs JavaScript.</noscript>
    </p>
  );
}

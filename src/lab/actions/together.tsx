'use client';

import { useState } from 'react';

import { meetOthers } from './meet-others.ts';

export function Together({ visitorKey }: { visitorKey: string }) {
  const [met, setMet] = useState('nobody has called yet');

  async function callThree() {
    setMet('waiting …');
    const counts = await Promise.all([meetOthers(visitorKey), meetOthers(visitorKey), meetOthers(visitorKey)]);
    setMet(counts.join(', '));
  }

  return (
    <p>
      <button type="button" onClick={() => void callThree()}>
        Call three at once
      </button>{' '}
      On the server together: <output data-testid="together">{met}</output>
    </p>
  );
}

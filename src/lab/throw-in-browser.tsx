'use client';

import { useState } from 'react';

export function ThrowInBrowser() {
  const [isPressed, setPressed] = useState(false);
  if (isPressed) throw new Error('canary-in-browser: thrown on purpose in the browser');
  return (
    <button type="button" onClick={() => setPressed(true)}>
      Throw
    </button>
  );
}

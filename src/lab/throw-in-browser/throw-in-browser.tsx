'use client';

import { useState } from 'react';

function pushTheButton(): never {
  throw new Error('canary-in-handler: thrown on purpose by a click');
}

export function ThrowInBrowser() {
  const [isPressed, setPressed] = useState(false);
  if (isPressed) throw new Error('canary-in-browser: thrown on purpose in the browser');
  return (
    <p className="flex gap-3">
      <button type="button" onClick={() => setPressed(true)}>
        Throw
      </button>
      <button type="button" onClick={pushTheButton}>
        Fail in a handler
      </button>
    </p>
  );
}

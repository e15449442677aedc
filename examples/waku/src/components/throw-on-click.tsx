'use client';

import { useState } from 'react';

export function ThrowOnClick() {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) throw new Error('The button broke');
  return <button onClick={() => setBroken(true)}>A component throws in the browser</button>;
}

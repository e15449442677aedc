'use client';

import { useEffect, useState, type ComponentProps } from 'react';

import type { CopyButton } from './copy-button.tsx';

/**
 * The copy button, loaded once there is something to copy: hardly any visitor sees an error. Without a connection there
 * is none; what it copies can be read and selected.
 */
export function LateCopyButton(props: ComponentProps<typeof CopyButton>) {
  const [Button, setButton] = useState<typeof CopyButton>();
  useEffect(() => {
    void import('./copy-button.tsx').then(
      (module) => setButton(() => module.CopyButton),
      () => undefined,
    );
  }, []);
  return Button ? <Button {...props} /> : null;
}

'use client';

import { useEffect, useState, type ComponentProps } from 'react';

import type { CopyButton } from './copy-button.tsx';

/**
 * The copy button. It is loaded when there is something to copy, because hardly any visitor sees an error. Without a
 * connection there is no button; its text can still be read and selected.
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

'use client';

import { useEffect } from 'react';

import { isNavigationInFlight } from '#src/runtime/navigation/current-navigation.ts';
import { useNavigate } from '#src/runtime/navigation/use-navigate.ts';

/** Somebody who has just started their app looks at the page; a tenth of a second sooner changes nothing. */
const askEveryMs = 2_000;

async function ask(address: string): Promise<string | undefined> {
  try {
    const response = await fetch(address, { headers: { accept: 'text/plain' } });
    return response.ok ? await response.text() : undefined;
  } catch {
    // Offline, or the server restarts: asked again.
    return undefined;
  }
}

function isTyping(): boolean {
  return document.activeElement?.matches('input, select, textarea') ?? false;
}

/**
 * Loads the page again when what it says is not true any more. It asks while the tab is visible, and does not disturb somebody
 * who types. Without JavaScript the page says to reload it.
 * @param address answers with a text that is `mark` as long as nothing has changed
 */
export function ReloadOnChange({ address, mark }: { address: string; mark: string }) {
  const { reload } = useNavigate();
  useEffect(() => {
    let isAsking = false;
    async function look(): Promise<void> {
      if (isAsking || document.hidden || isTyping() || isNavigationInFlight()) return;
      isAsking = true;
      const state = await ask(address);
      if (state !== undefined && state !== mark) await reload();
      isAsking = false;
    }
    const timer = setInterval(() => void look(), askEveryMs);
    return () => clearInterval(timer);
  }, [address, mark, reload]);
  return null;
}

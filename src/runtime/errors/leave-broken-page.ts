/** A page's modules may be invalidated a moment after the message about them. */
const checks = 5;
const pauseMs = 300;

function hasVitePanel(): boolean {
  return document.querySelector('vite-error-overlay') !== null;
}

async function leaveWhileBroken(): Promise<void> {
  for (let check = 0; check < checks; check += 1) {
    const response = await fetch(window.location.href, { headers: { accept: 'text/html' } });
    await response.body?.cancel();
    if (response.status === 500) return window.location.reload();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (!hasVitePanel()) return;
  }
}

/**
 * For development. When a module cannot be built, Vite shows a panel over the page, and the page behind it is the old
 * one. When the server cannot render this address any more either, the server's error document replaces the page. It
 * has the message, the code and the digest, and reloads by itself when the file is repaired.
 *
 * Vite waits for the result of this before it shows its panel.
 */
export function leaveBrokenPage(): void {
  // When the server is gone, Vite waits for it.
  leaveWhileBroken().catch(() => undefined);
}

/** For a page that was not listening yet when the message came. */
export function leavePageFoundBroken(): void {
  if (hasVitePanel()) leaveBrokenPage();
}

/** Its modules may be invalidated a moment after the message about them. */
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
 * Development. Vite reports a module that cannot be built by a panel over the page, and the page behind it is the one from
 * before. When the server cannot render this address any more either, its error document takes the page's place: it has
 * the message, the code and the digest, and comes back by itself when the file is mended.
 *
 * Vite waits for what this returns before it shows its panel.
 */
export function leaveBrokenPage(): void {
  // A server that is gone is Vite's to wait for.
  leaveWhileBroken().catch(() => undefined);
}

/** For a page that was not listening yet when the message came. */
export function leavePageFoundBroken(): void {
  if (hasVitePanel()) leaveBrokenPage();
}

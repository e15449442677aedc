/**
 * Development. Vite reports a module that cannot be built by a panel over the page, and the page behind it is the one from
 * before. When the server cannot render this address any more either, its error document takes the page's place: it has
 * the message, the code and the digest, and comes back by itself when the file is mended.
 */
export async function leaveBrokenPage(): Promise<void> {
  const response = await fetch(window.location.href, { headers: { accept: 'text/html' } });
  await response.body?.cancel();
  if (response.status === 500) window.location.reload();
}

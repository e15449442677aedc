import { changedEvent } from './dev-events.ts';

/**
 * The only script of development's error document. It connects to Vite, and loads the page again at each change of a
 * file, as long as the page shows an error. Vite's own panel would hide the error with the digest.
 *
 * The server invalidates a page's modules at the moment when it sends the message; the pause waits for that.
 */
export const reloadScript = `
import { createHotContext } from '${import.meta.env.BASE_URL}@vite/client';
const hot = createHotContext('/flight-recorder/error-document');
hot.on('${changedEvent}', () => setTimeout(() => {
  if (document.querySelector('[data-flight-digest]')) location.reload();
}, 100));
hot.on('vite:error', () => setTimeout(() => {
  for (const overlay of document.querySelectorAll('vite-error-overlay')) overlay.close();
}));
`;

import { changedEvent } from './dev-events.ts';

/**
 * The script of development's error document, which has no other: it connects to Vite and loads the page again with each
 * change of a file, for as long as it shows an error. Vite's own panel would hide the one with the digest.
 *
 * A page's modules are invalidated on the server at the same moment as the message leaves; the pause is for that.
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

/**
 * Stalled page
 *
 * When a link asks for it, the page sends its headers and then nothing more.
 *
 * Look for: After 3.8 s the navigation becomes a document load, which works.
 */
import { currentRequest } from '#src/server/http/request-context.ts';

import { ReloadButton } from './reload-button.tsx';

export const group = 'Navigation';
export const order = 3;

/** Never answers. It ends when the client disconnects, so that it holds the server's resources no longer than that. */
export function stall(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

async function Rest() {
  const request = currentRequest();
  // As a document the page is complete: a stalled navigation ends there.
  if (request && request.kind !== 'document') await stall(request.signal);
  return <p>This page came as a document.</p>;
}

export default function StalledLab() {
  return (
    <>
      <p>
        When a link asks for it, this page sends its headers and then nothing more. Go to it from another page: after
        3.8 s the browser loads it as a document. Load its data again here: it stalls again, and the browser, having
        just left for this page, does not leave for it a second time.
      </p>
      <ReloadButton />
      <Rest />
    </>
  );
}

import { createFromReadableStream } from '@vitejs/plugin-rsc/ssr';
import { use } from 'react';
import { renderToReadableStream } from 'react-dom/server.edge';
import { injectRSCPayload } from 'rsc-html-stream/server';

export async function renderHtml(stream) {
  const [forHtml, forBrowser] = stream.tee();
  let payload;
  function Root() {
    payload ??= createFromReadableStream(forHtml);
    return use(payload).root;
  }
  const bootstrapScriptContent = await import.meta.viteRsc.loadBootstrapScriptContent('index');
  const inject = () => injectRSCPayload(forBrowser);
  try {
    const html = await renderToReadableStream(<Root />, { bootstrapScriptContent });
    return { status: 200, stream: html.pipeThrough(inject()) };
  } catch {
    // Before the shell: the browser renders the payload from the start.
    const html = await renderToReadableStream(<html lang="en" />, {
      bootstrapScriptContent: `self.__NO_HYDRATE=1;${bootstrapScriptContent}`,
    });
    return { status: 500, stream: html.pipeThrough(inject()) };
  }
}

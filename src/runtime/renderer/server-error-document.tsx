import { readContact } from '#src/server/http/contact.ts';
import { currentRequest } from '#src/server/http/request-context.ts';

import styles from '../errors/error-panel.css?inline';
import { recallCause } from '../errors/dev-causes.ts';
import { reloadScript } from '../errors/dev-reload.ts';
import { ErrorDocument } from '../errors/error-document.tsx';
import { ErrorHelp, type ErrorHelpProps } from '../errors/error-help.tsx';

/** For the visitor whose request failed. The response is for it alone: nothing of it is cached. */
function readHelp(digest: string): ErrorHelpProps {
  const request = currentRequest();
  return {
    digest,
    time: Date.now(),
    zone: 'UTC',
    path: request?.path ?? '',
    contact: readContact(),
    isOperator: request?.operator !== undefined,
    takesFeedback: request?.takesFeedback === true,
  };
}

/** The error document as the server sends it: complete in one response. Development adds the cause and a script. */
export function ServerErrorDocument({ digest }: { readonly digest: string | undefined }) {
  const help = digest === undefined ? undefined : <ErrorHelp {...readHelp(digest)} />;
  const props = { side: 'server', digest, styles, help } as const;
  if (!import.meta.env.DEV) return <ErrorDocument {...props} />;
  return (
    <ErrorDocument {...props} cause={recallCause(digest)}>
      <script type="module" dangerouslySetInnerHTML={{ __html: reloadScript }} />
    </ErrorDocument>
  );
}

import styles from '../errors/error-panel.css?inline';
import { recallCause } from '../errors/dev-causes.ts';
import { reloadScript } from '../errors/dev-reload.ts';
import { ErrorDocument } from '../errors/error-document.tsx';

/** The error document as the server sends it: complete in one response. Development adds the cause and a script. */
export function ServerErrorDocument({ digest }: { readonly digest: string | undefined }) {
  if (!import.meta.env.DEV) return <ErrorDocument side="server" digest={digest} styles={styles} />;
  return (
    <ErrorDocument side="server" digest={digest} styles={styles} cause={recallCause(digest)}>
      <script type="module" dangerouslySetInnerHTML={{ __html: reloadScript }} />
    </ErrorDocument>
  );
}

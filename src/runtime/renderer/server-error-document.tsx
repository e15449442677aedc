import styles from '../errors/error-panel.css?inline';
import { ErrorDocument } from '../errors/error-document.tsx';

/** The error document as the server sends it: complete in one response. */
export function ServerErrorDocument({ digest }: { readonly digest: string | undefined }) {
  return <ErrorDocument side="server" digest={digest} styles={styles} />;
}

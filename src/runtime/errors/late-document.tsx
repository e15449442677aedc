import { ErrorDocument } from './error-document.tsx';
import type { ErrorPanelProps } from './error-panel.tsx';
import { readPanelStyles } from './panel-styles.ts';

function loadAgain(): void {
  window.location.reload();
}

/** In place of a document that failed as a whole. Retry is a document load, since the router is part of what failed. */
export function FailedDocument(shown: Pick<ErrorPanelProps, 'side' | 'digest' | 'cause'>) {
  return <ErrorDocument {...shown} styles={readPanelStyles()} onRetry={loadAgain} />;
}

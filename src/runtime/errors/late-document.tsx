import { ErrorDocument } from './error-document.tsx';
import type { ErrorPanelProps } from './error-panel.tsx';

function loadAgain(): void {
  window.location.reload();
}

/** The part of a rule's selector that names the panel's classes. */
const panelClass = '.flight-error';

/**
 * Copies the panel's rules from the style sheets of the page that it replaces. A copy of them in the script would add a
 * kilobyte to every page, for something that hardly any visitor sees.
 */
function readPanelStyles(): string {
  return Array.from(document.styleSheets, readRules)
    .flat()
    .filter((rule) => rule.includes(panelClass))
    .join('\n');
}

/**
 * A style sheet of another origin, which an extension may have added, cannot be read and throws. Nobody above would
 * catch that.
 */
function readRules(sheet: CSSStyleSheet): string[] {
  try {
    return Array.from(sheet.cssRules, (rule) => rule.cssText);
  } catch {
    return [];
  }
}

/** Stands in place of a document that failed as a whole. Retry is a document load, since the router is part of what failed. */
export function FailedDocument(shown: Pick<ErrorPanelProps, 'side' | 'digest' | 'cause'>) {
  return <ErrorDocument {...shown} styles={readPanelStyles()} onRetry={loadAgain} />;
}

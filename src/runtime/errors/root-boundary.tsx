'use client';

import { Component, type ReactNode } from 'react';

import { describeShown, type ShownError } from './browser-digest.ts';
import { ErrorDocument } from './error-document.tsx';

type State = {
  readonly caught:
    | { readonly status: 'fine' }
    | { readonly status: 'failed'; readonly identity: ShownError; readonly styles: string };
};

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

/**
 * The last boundary, around the router itself. It is for a failing root layout or first payload, when there is no
 * document left that could show an error. Retry is a document load, since the router is part of what failed.
 */
export class RootBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { caught: { status: 'fine' } };

  static getDerivedStateFromError(error: unknown): State {
    return { caught: { status: 'failed', identity: describeShown(error), styles: readPanelStyles() } };
  }

  override render(): ReactNode {
    const { caught } = this.state;
    switch (caught.status) {
      case 'fine':
        return this.props.children;
      case 'failed':
        return <ErrorDocument {...caught.identity} styles={caught.styles} onRetry={() => window.location.reload()} />;
    }
  }
}

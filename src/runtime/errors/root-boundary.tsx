'use client';

import { Component, type ReactNode } from 'react';

import { describeShown, type ShownError } from './browser-digest.ts';
import { ErrorDocument } from './error-document.tsx';

type State = {
  readonly caught:
    | { readonly status: 'fine' }
    | { readonly status: 'failed'; readonly identity: ShownError; readonly styles: string };
};

/** The part that names the panel's classes, of every rule that does. */
const panelClass = '.flight-error';

/**
 * The panel's rules, out of the style sheets of the page that it replaces: a copy of them in the script would be a
 * kilobyte of every page for what hardly any visitor ever sees.
 */
function readPanelStyles(): string {
  return Array.from(document.styleSheets, readRules)
    .flat()
    .filter((rule) => rule.includes(panelClass))
    .join('\n');
}

/** Another origin's sheet, which an extension may have put there, does not let itself be read; and nobody catches what this throws. */
function readRules(sheet: CSSStyleSheet): string[] {
  try {
    return Array.from(sheet.cssRules, (rule) => rule.cssText);
  } catch {
    return [];
  }
}

/**
 * The last boundary, around the router itself: for a failing root layout or first payload, when there is no document
 * left to show an error in. Retry is a document load, since the router is part of what failed.
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

import { useEffect, useState, useSyncExternalStore } from 'react';

import { feedbackPath } from '#src/server/http/addresses.ts';
import { isRecord } from '#boundary';

import { CopyButton } from './copy-button.tsx';
import { formatDigest } from '#report/digest.ts';
import { ErrorHelp, type ErrorHelpProps } from './error-help.tsx';

/**
 * What the error panel loads when it is shown, because hardly any visitor sees an error. Without a connection it is missing; the
 * digest can still be read and selected.
 */

/** What src/faults/middleware/feedback.ts knows and a page that was made for everybody does not. */
type Answer = Pick<ErrorHelpProps, 'isOperator' | 'contact' | 'takesFeedback'>;

const unknown: Answer = { isOperator: false, contact: { name: '', address: '', href: '' }, takesFeedback: false };

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

async function ask(signal: AbortSignal): Promise<Answer> {
  const response = await fetch(feedbackPath, { signal });
  const answer: unknown = response.ok ? await response.json() : undefined;
  if (!isRecord(answer)) return unknown;
  const { name, address, href } = isRecord(answer['contact']) ? answer['contact'] : {};
  return {
    isOperator: answer['isOperator'] === true,
    contact: { name: readText(name), address: readText(address), href: readText(href) },
    takesFeedback: answer['takesFeedback'] === true,
  };
}

export function CopyDigest({ digest }: { digest: string }) {
  return <CopyButton text={formatDigest(digest)} what="digest" />;
}

/** A panel is rendered before the router writes the address, so its first reading may be about the page before. */
function subscribe(listener: () => void): () => void {
  window.navigation?.addEventListener('currententrychange', listener);
  return () => window.navigation?.removeEventListener('currententrychange', listener);
}

function readCanGoBack(): boolean {
  return window.navigation?.canGoBack ?? window.history.length > 1;
}

/** Whether this tab has a page to go back to. False in the server's HTML, where a button would not work. */
function useCanGoBack(): boolean {
  return useSyncExternalStore(subscribe, readCanGoBack, () => false);
}

/** Shows nothing where this tab has no page to go back to. */
export function BackButton() {
  return useCanGoBack() ? (
    <button type="button" onClick={() => history.back()}>
      Go back
    </button>
  ) : null;
}

/** For a panel that the browser renders. What the server has to say is added when it comes. */
export function LateHelp({ digest }: { digest: string | undefined }) {
  const [time] = useState(Date.now);
  const [answer, setAnswer] = useState(unknown);
  useEffect(() => {
    const lifetime = new AbortController();
    ask(lifetime.signal).then(setAnswer, () => undefined);
    return () => lifetime.abort();
  }, []);
  if (digest === undefined) return null;
  return <ErrorHelp digest={digest} time={time} zone={undefined} path={location.pathname} {...answer} />;
}

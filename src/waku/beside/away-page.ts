import { renderPlainPage } from '#src/server/http/plain-page.ts';

/**
 * What is answered below the mount path while the interface is not there. The app's own answers never are: nothing waits for it.
 */
export type Away =
  /** Now, or again after it ended. */
  | 'starting'
  /** It could not be started, again and again. */
  | 'off'
  /** The data folder has one with another mount path. */
  | 'elsewhere';

const again = '<p>This page loads itself again until the interface answers. The app itself is not affected.</p>';

const pages: Readonly<Record<Away, string>> = {
  starting: renderPlainPage({
    title: 'Flight Recorder is starting',
    content: again,
    head: '<meta http-equiv="refresh" content="1">\n',
  }),
  off: renderPlainPage({
    title: 'Flight Recorder does not run',
    content: '<p>It could not be started. The log of the app says why.</p>',
  }),
  elsewhere: renderPlainPage({
    title: 'Flight Recorder is at another address',
    content: '<p>Its data folder is shown by the interface of another app. The log of this app says where.</p>',
  }),
};

const texts: Readonly<Record<Away, string>> = {
  starting: 'Flight Recorder is starting.\n',
  off: 'Flight Recorder does not run.\n',
  elsewhere: 'Flight Recorder is at another address.\n',
};

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export type AwayAnswer = {
  readonly status: 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** @param accept the request's header */
export function answerAway(away: Away, accept: string | null | undefined): AwayAnswer {
  const isForPerson = accept?.includes('text/html') === true;
  const body = isForPerson ? pages[away] : texts[away];
  return {
    status: 503,
    headers: {
      'content-type': `text/${isForPerson ? 'html' : 'plain'}; charset=utf-8`,
      'content-length': String(Buffer.byteLength(body)),
      'content-security-policy': policy,
      'cache-control': 'no-store',
      ...(away === 'starting' ? { 'retry-after': '1' } : {}),
    },
    body,
  };
}

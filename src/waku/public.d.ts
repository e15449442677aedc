import type { ComponentType, ReactElement, ReactNode } from 'react';
import type { LinkProps as WakuLinkProps } from 'waku/router/client';
import type { Unstable_RoutePath as RoutePath } from 'waku/router/client-core';

export type FlightRecorderOptions = {
  /**
   * Where the interface stands in the app, below its `basePath`. `false`: there is none.
   * @default '/_flight'
   */
  readonly mount?: string | false | undefined;
  /**
   * The app's id in the recording: lower-case letters, digits and single hyphens, 40 at most. With `to`, only the one that it names.
   * @default from the name in package.json
   */
  readonly app?: string | undefined;
  /**
   * The data folder, from the folder in which the app is started. With a recorder elsewhere, what that has not taken yet waits there.
   * @default the variable `FLIGHT_DATA`, else `'data'`
   */
  readonly data?: string | undefined;
  /**
   * A recorder elsewhere, `https://<key>@<host>/<app>`: errors and flights go there, and there is no interface in the app. It stands
   * in the built server, with its key; the variable `FLIGHT_RECORDER` is read when the server starts, and comes first.
   * @default none: the interface is in the app
   */
  readonly to?: string | undefined;
  /**
   * A digest for every error of the server, and the error pages that show it.
   * @default true
   */
  readonly digests?: boolean | undefined;
  /**
   * Flights are recorded.
   * @default true
   */
  readonly recorder?: boolean | undefined;
  /**
   * Prefetches of `<Link>`, the limit of 3.8 s on loading a page, and scrolling back to where a page was left.
   * @default true
   */
  readonly navigation?: boolean | undefined;
  /**
   * Server actions are posted to the page's URL, and one that is refused does not replace the page.
   * @default true
   */
  readonly actions?: boolean | undefined;
  /**
   * Browsers report their errors.
   * @default true
   */
  readonly reports?: boolean | undefined;
  /**
   * A flight tells what server components and server functions waited for: the build lets each of them tell when it began, waited and
   * ended, and the requests that they send are told by Node. Names and times alone. Needs `recorder`.
   * @default false
   */
  readonly serverTime?: boolean | undefined;
  /**
   * Refuses actions before they are decoded: a body over 1 MiB or of more than 1,000 fields (413), another origin (403), an unknown
   * action (409), Waku's own address for actions (404), other methods than POST (405), a slow body (408), what cannot be read (400).
   * A form that a page is posted as `multipart/form-data` has the limits of its body also where it names no action. Needs `actions`.
   * @default false
   */
  readonly strictActions?: boolean | undefined;
  /**
   * Refuses calls of server functions that no client of React could have written (403), before the app sees them. The value says what
   * becomes of calls above 1 MiB, which nobody looks at.
   * @default undefined: nothing is refused for what it holds
   */
  readonly blockForged?: 'pass' | 'refuse' | undefined;
};

/** For `vite.plugins` in waku.config.ts. */
export function flightRecorder(options?: FlightRecorderOptions): { name: string }[];

/** What an error page of the app is given. */
export type ErrorPageProps = {
  /**
   * As people read it out: `01234-56789`. Whoever runs the app finds the cause under it. Undefined for an error of the browser where
   * browsers report nothing.
   */
  readonly digest: string | undefined;
  /** Which side failed, and has the cause: the server's log, or the browser's console. */
  readonly side: 'server' | 'browser';
  /** Fetches the page again and shows it. */
  readonly retry: () => void;
  readonly isRetrying: boolean;
};

export type FlightRecorderProps = {
  readonly children: ReactNode;
  /** A client component of the app, in place of the error panel. */
  readonly errorPage?: ComponentType<ErrorPageProps> | undefined;
};

/** Once, around the children of the app's root layout. */
export function FlightRecorder(props: FlightRecorderProps): ReactNode;

export type LinkProps<Path extends RoutePath> = Omit<
  WakuLinkProps<Path>,
  'unstable_instant' | 'unstable_prefetchOnEnter' | 'unstable_prefetchOnView'
> & {
  /** Replaces the current history entry. */
  readonly replace?: boolean | undefined;
  /** `viewport`: when near the screen or pointed at. `intent`: only when pointed at (hover, focus, touch). */
  readonly prefetch?: 'viewport' | 'intent' | 'never' | undefined;
};

/** Waku's `Link` with prefetching, and a limit on how long a page may load. */
export function Link<Path extends RoutePath>(props: LinkProps<Path>): ReactElement;

export type Navigate = {
  readonly push: (href: string, options?: { readonly scroll?: boolean | undefined }) => Promise<void>;
  readonly replace: (href: string, options?: { readonly scroll?: boolean | undefined }) => Promise<void>;
  /** Fetches the current page again. Its client components keep their state. */
  readonly reload: () => Promise<void>;
  readonly back: () => void;
  readonly forward: () => void;
};

/**
 * Navigation from code, in the same way as links: an address that begins with `/` is below the app's `basePath`. Where the part
 * `navigation` is off, it is Waku's own router. The promises resolve when a navigation was handled, or has failed.
 */
export function useNavigate(): Navigate;

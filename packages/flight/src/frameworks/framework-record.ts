import type { Flight } from '../flight.ts';
import type { HtmlFlightSource } from '../from-html.ts';
import type { ClientModule, KnownModule } from '../modules.ts';
import type { PayloadReader } from '../payload-reader.ts';

/** What a payload's root says of its app, beside its content. A fact that it does not state is undefined. */
export type RootFacts = {
  /** The pattern: `/blog/[slug]` of Next.js, `/blog/:slug` of React Router. */
  readonly route: string | undefined;
  /** React Router's ids of the matched routes, the root first. */
  readonly routeIds: readonly string[];
  /** The page's path, without a query: Waku, React Router, and documents of Next.js. */
  readonly path: string | undefined;
  /** Waku says whether the page was prerendered. */
  readonly isStatic: boolean | undefined;
  readonly purpose: 'page' | 'prefetch' | 'action' | 'redirect' | 'manifest' | undefined;
  /** Where a redirect leads. */
  readonly redirect: string | undefined;
  /** The id of the build that made it: Next.js, Waku, React Router. Undefined in development. */
  readonly build: string | undefined;
};

export const noFacts: RootFacts = {
  route: undefined,
  routeIds: [],
  path: undefined,
  isStatic: undefined,
  purpose: undefined,
  redirect: undefined,
  build: undefined,
};

/**
 * The request with which a framework's own client asks for the payload of a page when a visitor navigates to it. The address is a text:
 * the package's types need neither Node's nor a browser's.
 */
export type PayloadRequest = { readonly url: string; readonly headers: readonly (readonly [string, string])[] };

/**
 * All that is known of a framework: what its payloads are told by, what they say, which modules are its own, how its client asks for a
 * page. A new framework is a file with one, and a line in `framework-records.ts`.
 */
export type FrameworkRecord = {
  readonly name: string;
  /** As people write it. */
  readonly label: string;
  /** Lists of keys of the root object; all keys of a list must be there. */
  readonly rootShapes: readonly (readonly string[])[];
  /** What else in the root shows it, in words after "because". */
  readonly findSign?: (reader: PayloadReader, rootKeys: readonly string[]) => string | undefined;
  /** The same of a client module. */
  readonly findModuleSign?: (module: ClientModule) => string | undefined;
  /** Signs that others could have, too: asked last. */
  readonly findLateSign?: (reader: PayloadReader) => string | undefined;
  /** Scripts of a page that hand its payload over, where they are its own. */
  readonly pageSource?: { readonly source: HtmlFlightSource; readonly because: string };
  /** A name that its own scripts in a page have. */
  readonly scriptSign?: string;
  readonly readFacts: (reader: PayloadReader) => RootFacts;
  /** Where its own modules are, in development and where a manifest of the build has it. */
  readonly modulePath: RegExp;
  /** Exports that only its own modules have. */
  readonly moduleExports?: ReadonlySet<string>;
  /** Exports that it adds to the app's own files. */
  readonly addedExports?: ReadonlySet<string>;
  /** The rows of modules that are told by how they are used. */
  readonly findUsedModules?: (flight: Flight, modules: readonly KnownModule[]) => Iterable<number>;
  /**
   * Changes the address of a page, without a hash, to that of its payload, or names headers; left out where the client has no such request.
   * @param sha256 of a text
   */
  readonly askPayload?: (page: string, sha256: (text: string) => Uint8Array) => PayloadRequest;
  /** The same of a prefetch, where it is another request. */
  readonly askPrefetch?: (page: string, sha256: (text: string) => Uint8Array) => PayloadRequest;
};

export type ReporterOptions = {
  /** Where to send to. Without it: the environment variable `FLIGHT_RECORDER`; without both, digests are minted and logged. */
  readonly url?: string | undefined;
  /** `react-router`, `parcel` … */
  readonly framework?: string | undefined;
  readonly release?: string | undefined;
  /** The project's folder. Without it: the folder in which the process was started. */
  readonly root?: string | undefined;
};

export type ErrorFacts = {
  readonly request?: Request | undefined;
  /** The route's pattern. */
  readonly route?: string | undefined;
  readonly phase?: 'rsc' | 'ssr' | 'action' | 'route' | undefined;
  /** React gives it to the `onError` of server rendering. */
  readonly componentStack?: string | null | undefined;
};

export type Reporter = {
  /** Reports an error, and returns the digest to send. What is no failure keeps its own digest and is not reported. */
  readonly onError: (error: unknown, facts?: ErrorFacts) => string | undefined;
  /** Resolves when everything was sent or given up: before a process ends. */
  readonly settle: () => Promise<void>;
};

/**
 * `renderToReadableStream(model, { onError: reporter.onError })`: mints a digest for each error and reports it to Flight Recorder.
 */
export function createReporter(options?: ReporterOptions): Reporter;

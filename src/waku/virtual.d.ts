/**
 * What the plugin knows when it builds, for the app's server and its browser. Each is a constant of its own, so that
 * `if (navigation) …` of a part that is off is dropped with all that it imports. Never a key, never a path of the machine.
 */
declare module 'virtual:flight-recorder/options' {
  /** Whole, with the app's `basePath`: `/shop/_flight`. Undefined where there is no interface in the app. */
  export const mountPath: string | undefined;
  /** The app's own, `/` or `/shop/`. */
  export const basePath: string;
  export const digests: boolean;
  export const recorder: boolean;
  export const navigation: boolean;
  export const actions: boolean;
  export const reports: boolean;
  export const serverTime: boolean;
  export const strictActions: boolean;
  export const blockForged: 'pass' | 'refuse' | undefined;
}

/** The same for the app's server alone. Importing it elsewhere fails the build. */
declare module 'virtual:flight-recorder/server-options' {
  export const app: string;
  /** As the option says it, from the folder in which the server is started. */
  export const data: string | undefined;
  /** As the option says it: with its key. */
  export const to: string | undefined;
  /** The mounted copy of the interface: its folder's name in the app's `dist`. In dev: its whole path. */
  export const interfaceFolder: string | undefined;
}

// oxlint-disable-next-line typescript/consistent-type-definitions -- Vite's own is an interface, to which this adds.
interface ImportMetaEnv {
  /**
   * Inside another app: whether the interface is mounted there (`mounted`) or not (`alone`). Undefined on our own server. The
   * plugin defines it.
   */
  readonly FLIGHT_INSIDE?: 'mounted' | 'alone';
  /** Inside another app: whether its errors are left to Waku. Undefined on our own server. The plugin defines it. */
  readonly FLIGHT_DIGESTS?: 'on' | 'off';
}

/** Waku's Node adapter, as the app would have it without the plugin. */
declare module 'virtual:flight-recorder/adapter' {
  const adapter: typeof import('waku/adapters/node').default;
  export default adapter;
}

/** What stands around the app's router: with digests answer-errors.ts, without them leave-errors.ts. */
declare module 'virtual:flight-recorder/handlers' {
  export const handleInside: typeof import('./server/answer-errors.ts').handleInside;
}

/** What starts the recording of flights: start-flights.ts, or leave-flights.ts where none are recorded. */
declare module 'virtual:flight-recorder/flights' {
  export const startFlights: typeof import('./server/start-flights.ts').startFlights | undefined;
}

/** What reports the errors of the app's browsers: report-errors.ts, or leave-reports.ts where they do not report. */
declare module 'virtual:flight-recorder/reports' {
  export const startReports: typeof import('./browser/report-errors.ts').startReports | undefined;
}

/** Waku's own: its configuration, as it was when the app was built. */
declare module 'virtual:vite-rsc-waku/config' {
  export const config: { readonly distDir: string; readonly rscBase: string; readonly basePath: string };
  export const isBuild: boolean;
}

/**
 * The addresses of the product's own pages and endpoints, for the browser and for the server. A link, a form, a redirect
 * and the middleware that answers name an address by what is exported here; nobody else spells one (the lint rule
 * `house/addresses`). A page's file under src/pages still decides what is there: addresses.test.ts compares the two.
 *
 * What stands in the place of a parameter may be anybody's text: it is encoded here, once.
 */

/**
 * Where all of it is mounted: empty at the root of the server, as here, in tests and in plain Node. The build that is mounted in
 * another app gets another value (src/waku/mount/vite.ts).
 */
export const mountPath: string = '';

export const homePath = mountPath || '/';
export const faviconPath = `${mountPath}/favicon.svg`;

/** Where a digest is looked up; `?code=` is what was typed. */
export const lookUpPath = `${mountPath}/digest`;

/**
 * A code is whatever an app calls its errors by. One with a slash is encoded twice, since a slash of a part of the path is refused, encoded
 * or not: src/faults/digests/read-code.ts decodes it.
 * @param app where several apps know the digest: whose
 */
export function digestPath(code: string, app?: string): string {
  const once = encodeURIComponent(code);
  const part = /[/\\]/.test(code) ? encodeURIComponent(once) : once;
  return `${lookUpPath}/${part}${app === undefined ? '' : `?app=${app}`}`;
}

/** One error by its id: of another app, whose digests may name many errors, or an error without one. */
export function errorPath(id: string): string {
  return `${mountPath}/errors/${encodeURIComponent(id)}`;
}

/** The list of faults. Its query is src/faults/interface/faults/fault-query.ts's. */
export const faultsPath = `${mountPath}/faults`;

/** @param error the key of one of its errors or reports, which the page then shows */
export function faultPath(id: string, error?: string): string {
  const shown = error === undefined ? '' : `?error=${encodeURIComponent(error)}`;
  return `${faultsPath}/${encodeURIComponent(id)}${shown}`;
}

/** Who is told of new faults, and what was sent. */
export const alertsPath = `${mountPath}/alerts`;

/** The list of flights. Its query is src/flights/interface/flight-query.ts's. */
export const flightsPath = `${mountPath}/flights`;

/** Requests that no client of React could have written. */
export const guardPath = `${mountPath}/guard`;

export const prefetchesPath = `${flightsPath}/prefetches`;
/** Server-sent events: how many flights are newer than `?since=`. */
export const flightEventsPath = `${flightsPath}/events`;

export function flightPath(id: number | string): string {
  return `${flightsPath}/${encodeURIComponent(id)}`;
}

export function flightPayloadPath(id: number): string {
  return `${flightPath(id)}/payload`;
}

export function flightExportPath(id: number): string {
  return `${flightPath(id)}/export`;
}

/** One flight with its viewer, in one HTML file; with `with` its comparison with that one. */
export function flightOneFilePath(id: number, before?: number): string {
  return `${flightPath(id)}/one-file${before === undefined ? '' : `?with=${before}`}`;
}

/** Any two flights: `?flight=7&flight=9`. */
export const flightsDiffPath = `${flightsPath}/diff`;

/** @param other what was before */
export function flightDiffPath(id: number, other: number): string {
  return `${flightPath(id)}/diff/${encodeURIComponent(other)}`;
}

/** @param name of a visit, as src/flights/interface/visit-path.ts writes it */
export function flightVisitPath(name: string): string {
  return `${flightsPath}/visit/${encodeURIComponent(name)}`;
}

/** Leads to the flight of one request, as soon as it is recorded; with `visit` to all flights of its visit. */
export function flightOfRequestPath(requestId: string, shows?: 'visit'): string {
  return `${flightsPath}/of/${encodeURIComponent(requestId)}${shows === undefined ? '' : `?shows=${shows}`}`;
}

/** The apps that are recorded. */
export const appsPath = `${mountPath}/apps`;

export function appPath(id: string): string {
  return `${appsPath}/${encodeURIComponent(id)}`;
}

/** Its builds: what each brought, and who still runs it. */
export function appBuildsPath(id: string): string {
  return `${appPath(id)}/builds`;
}

/** What a page of this app shows by itself when it comes; of this server's own id: the list of apps. */
export function appStatePath(id: string): string {
  return `${appPath(id)}/state`;
}

/** Where other apps send what happened to them: `<app>/errors`, `<app>/flights`, `<app>/otlp/v1/traces`. */
const apiPath = `${mountPath}/api`;

export function appErrorsPath(app: string): string {
  return `${apiPath}/${encodeURIComponent(app)}/errors`;
}

export function appFlightsPath(app: string): string {
  return `${apiPath}/${encodeURIComponent(app)}/flights`;
}

/** Where an app's OpenTelemetry sends traces, as OTLP over HTTP names it. */
export function appTracesPath(app: string): string {
  return `${apiPath}/${encodeURIComponent(app)}/otlp/v1/traces`;
}

/** Where the Sentry CLI uploads source maps: how the addresses of Sentry's own API begin. */
export const uploadApiPath = `${apiPath}/0/`;

/** Where SDKs of Sentry send envelopes. @param project a DSN's number of the app, or its id */
export function sdkEnvelopePath(project: string): string {
  return `${apiPath}/${encodeURIComponent(project)}/envelope/`;
}

/** Where older ones send one event at a time. */
export function sdkStorePath(project: string): string {
  return `${apiPath}/${encodeURIComponent(project)}/store/`;
}

/** The API for programs: it reads, with a token, and changes nothing. No app can have the id `v1` (apps/app-id.ts). */
export const readApiPath = `${apiPath}/v1`;

/** @param parts below it: `'faults', id`. src/api/endpoints.ts says what there is. */
export function readApiAddress(...parts: readonly string[]): string {
  return [readApiPath, ...parts.map(encodeURIComponent)].join('/');
}

/** Where an app's process asks the interface beside it for the app's keys, and for what is recorded of it. */
export const appAnnouncementPath = `${mountPath}/_api/app`;

/** What was received and not kept, and what SDKs say they dropped. */
export const notKeptPath = `${mountPath}/not-kept`;

export const decodePath = `${mountPath}/decode`;
/** The viewer that flights are saved with, before anything is in it. */
export const oneFileTemplatePath = `${decodePath}/one-file`;
/** What Flight is, token by token; the tokens’ anchors are packages/viewer/src/protocol's. */
export const protocolPath = `${mountPath}/protocol`;
/** The way to the pages about the recorder itself. */
export const aboutPath = `${mountPath}/about`;
export const runtimePath = `${mountPath}/runtime`;
/** What is removed before storing, and the operator's own keys. */
export const scrubbingPath = `${mountPath}/scrubbing`;
export const operatorPath = `${mountPath}/operator`;
/** The page, and where its forms are posted. */
export const loginPath = `${mountPath}/login`;
export const logoutPath = `${mountPath}/logout`;

/**
 * Pages about what is recorded and about the recorder. Those below them are, too. `runtimePath` and the experiments are pages of an app.
 */
export const recorderPages: readonly string[] = [
  faultsPath,
  alertsPath,
  flightsPath,
  guardPath,
  errorPath('').slice(0, -1),
  lookUpPath,
  appsPath,
  notKeptPath,
  scrubbingPath,
  decodePath,
  protocolPath,
  aboutPath,
  operatorPath,
  loginPath,
];

export const labPath = `${mountPath}/lab`;

/** @param name the experiment's name, then which of its pages: `'prefetch', 3` */
export function experimentPath(...name: readonly (string | number)[]): string {
  return [labPath, ...name.map(encodeURIComponent)].join('/');
}

/** Does the process answer? */
export const healthPath = `${mountPath}/healthz`;
/** Should it get requests now? */
export const readyPath = `${mountPath}/readyz`;
/** What this server counts, for Prometheus. */
export const metricsPath = `${mountPath}/metrics`;
/** Where browsers say what the content security policy kept from running. */
export const cspReportPath = `${mountPath}/csp-report`;
/** Where an error page's visitors say what they were doing; read, it says whom to give a digest to. */
export const feedbackPath = `${mountPath}/feedback`;
/** Where browsers post their reports, on the page's own origin. */
export const tunnelPath = `${mountPath}/tunnel`;
/** Where a document that is closed posts its trace's id and what its requests did not say, `,` between the ids. */
export const usagePath = `${mountPath}/_api/flight-usage`;
/** Where a page of an app with the Waku plugin tells how fast it was (src/flights/middleware/take-reported-use.ts has the form). */
export const toldPath = `${mountPath}/_api/flight-told`;

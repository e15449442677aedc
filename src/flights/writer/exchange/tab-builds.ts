import { unknownBuild } from '../../flight/flight-columns.ts';
import type { ExchangeFacts } from '../../watch/exchange.ts';
import { rememberIn } from '../prepare.ts';
import type { Recognised } from './recognise-exchange.ts';
import type { Place } from './guess-visits.ts';

/**
 * Which build answers, and which one the tab is of that asks. A tab is of the build of its document. After a deploy the two differ: what
 * the tab then calls, or goes to, is not what it was made for.
 */
export type TabBuild = {
  /** Of the answer; empty where nothing says it. */
  readonly build: string;
  /** Of the tab, where it was not served; `unknown` where only that is known. Null: nothing is wrong. */
  readonly tabBuild: string | null;
  /** It calls an action which this build does not have, and nothing shows that it is a page of the app. */
  readonly isStranger: boolean;
};

const tabsKept = 20_000;
/** Of one visit. */
const buildsKept = 5;
const appsKept = 1_000;
/** Of Next.js, since 15.5: the build has no such action. Waku and others answer as for any error. */
const notFound = 'x-nextjs-action-not-found';

export function saysNotFound({ responseHeaders }: Pick<ExchangeFacts, 'responseHeaders'>): boolean {
  return responseHeaders[notFound] === '1';
}

/** Next.js 14 answers with the page, as if it had been asked for. What an action answers is Flight. */
function isUnknown(facts: ExchangeFacts): boolean {
  if (saysNotFound(facts)) return true;
  const { look, responseHeaders, status } = facts;
  const isPage = /^text\/html\b/i.test(responseHeaders['content-type'] ?? '');
  return look.framework === 'next' && look.actionId !== null && isPage && (status === 200 || status === 404);
}

/**
 * What a page of the app sends with a call; a form without JavaScript has no tree. Whoever makes up a call leaves it out, mostly: it is a
 * sign, and no proof.
 */
function isFromPage({ look, requestHeaders: headers }: ExchangeFacts): boolean {
  return (look.actionId === null || 'next-router-state-tree' in headers) && 'referer' in headers;
}

/** Nothing is said of the tab that asked. @param build which answers */
export function ofNoTab(build: string | undefined): TabBuild {
  return { build: build ?? '', tabBuild: null, isStranger: false };
}

export function createTabBuilds() {
  /** By trace and by visit: some clients begin a trace for each request. */
  const loaded = new Map<string, string>();
  /** By visit, of all its documents: tabs of one browser are one visit, and the older one may be the one that asks. */
  const ofVisit = new Map<string, ReadonlySet<string>>();
  const served = new Map<string, string>();
  /** Whether an app's answers are called by a deployment's id. Tabs of Next.js 15 name one, and its answers the id of the build. */
  const deployed = new Map<string, boolean>();
  /** Of an app: the build that did not know an action of its own, as it seemed, and whether an answer has named this build since. */
  const refused = new Map<string, { readonly build: string; isSure: boolean }>();

  function noteServed(app: string, build: string): void {
    rememberIn(served, app, build, appsKept);
    const known = refused.get(app);
    if (known?.build === build) known.isSure = true;
    else refused.delete(app);
  }

  /**
   * An answer that does not know an action names no build. The first one of a tab of the newest build that is known is mostly from a build
   * that nothing has named yet. Only when the tab's build is named after it, and does it again, do instances of that build differ.
   * @returns whether it is sure that this build answered
   */
  function noteRefused(app: string, build: string): boolean {
    const known = refused.get(app);
    const isSure = known?.build === build && known.isSure;
    rememberIn(refused, app, { build, isSure }, appsKept);
    return isSure;
  }

  function read(
    facts: ExchangeFacts,
    { kind, build, isDeployment }: Pick<Recognised, 'kind' | 'build' | 'isDeployment'>,
    { traceId, visit }: Pick<Place, 'traceId' | 'visit'>,
    hasPayload: boolean,
  ): TabBuild {
    const { app, requestHeaders, status } = facts;
    if (build !== undefined && kind !== 'prefetch') noteServed(app, build);
    if (build !== undefined) rememberIn(deployed, app, isDeployment, appsKept);
    const answers = build ?? served.get(app) ?? '';
    if (kind === 'document' && build !== undefined) {
      for (const key of [traceId, visit]) rememberIn(loaded, key, build, tabsKept);
      rememberIn(ofVisit, visit, new Set([build, ...(ofVisit.get(visit) ?? [])].slice(0, buildsKept)), tabsKept);
    }
    const fine = ofNoTab(build);
    if (kind !== 'action' && kind !== 'navigation') return fine;
    // Of one visitor's tabs it is guessed which one asks: so what may be its build is the document's, or the newest document's.
    const named = deployed.get(app) === false ? undefined : requestHeaders['x-deployment-id'];
    const own = (named === undefined ? [loaded.get(traceId), loaded.get(visit)] : [named]).filter(
      (one) => one !== undefined,
    );
    const builds = named === undefined ? (ofVisit.get(visit) ?? new Set<string>()) : new Set([named]);
    const others = [...builds].filter((one) => one !== answers);
    if (isUnknown(facts)) {
      const isStranger = own.length === 0 && !isFromPage(facts);
      if (isStranger) return { ...fine, isStranger };
      const other = others.length > 1 || builds.has(answers) ? undefined : own.find((one) => one !== answers);
      // It is of the older tab. Of which build that is, what has called the action before may say.
      if (others.length > 0 && other === undefined) return { ...fine, build: answers, tabBuild: unknownBuild };
      if (build !== undefined || other !== undefined) {
        return { ...fine, build: answers, tabBuild: other ?? own[0] ?? unknownBuild };
      }
      const isOwn = named !== undefined || loaded.has(traceId);
      // Of another tab of the visitor, or of nobody: this one is older than what is known of it.
      if (!isOwn) return { ...fine, build: answers, tabBuild: unknownBuild };
      return { ...fine, build: noteRefused(app, answers) ? answers : '', tabBuild: answers };
    }
    const isLost = kind === 'action' && !hasPayload && status >= 400;
    const isOther = answers !== '' && own.every((one) => one !== answers) && (build !== undefined || isLost);
    if (!isOther || own[0] === undefined || builds.has(answers)) return fine;
    return { ...fine, build: answers, tabBuild: others.length > 1 ? unknownBuild : own[0] };
  }

  /** Of a script or a style sheet that is gone, by the visitor's newest document. Undefined: not for the tab's build. */
  function readOfFile({ app }: ExchangeFacts, { traceId }: Pick<Place, 'traceId'>): TabBuild | undefined {
    const build = served.get(app);
    const tabBuild = loaded.get(traceId);
    const isOld = build !== undefined && tabBuild !== undefined && tabBuild !== build;
    return isOld ? { build, tabBuild, isStranger: false } : undefined;
  }

  return { read, readOfFile };
}

/** How an app is recorded, by what it is built with: what its page shows first. */
export const ways = ['next', 'waku', 'rsc', 'browser', 'server', 'any'] as const;
export type Way = (typeof ways)[number];

export const wayNames = {
  next: 'Next.js',
  waku: 'Waku',
  rsc: 'React Router, Parcel, plugin-rsc',
  browser: 'Vite, in browsers',
  server: 'Express, other servers',
  any: 'Anything else',
} as const satisfies Record<Way, string>;

/** As payloads and senders name them. */
const rscFrameworks: readonly string[] = ['react-router', 'vite-rsc', 'redwood', 'parcel', 'tanstack-start'];
/** The last words of the names of Sentry's SDKs for browsers. Another SDK is one for servers. */
const browserSdks: readonly string[] = ['browser', 'react', 'vue', 'svelte', 'angular', 'solid', 'ember', 'capacitor'];

function waySaid(framework: string): Way {
  if (framework === 'next' || framework === 'waku') return framework;
  if (rscFrameworks.includes(framework)) return 'rsc';
  return browserSdks.includes(framework) ? 'browser' : 'server';
}

type Known = {
  /** Of what was recorded; undefined or empty where nothing says it. */
  readonly framework: string | undefined;
  /** Browsers reported, and no server did. */
  readonly isOfBrowsers: boolean;
};

/** @param search `?for=` is what the operator chose; without it, what was recorded says it */
export function chooseWay(search: string, { framework, isOfBrowsers }: Known): Way {
  const asked = new URLSearchParams(search).get('for');
  const chosen = ways.find((way) => way === asked);
  if (chosen) return chosen;
  if (framework) return waySaid(framework);
  return isOfBrowsers ? 'browser' : 'any';
}

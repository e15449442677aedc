declare module 'server-only';
declare module '*.css';

/** The server actions of the build, as `@vitejs/plugin-rsc` keeps them. In dev there is no list, and no export. */
declare module 'virtual:vite-rsc/server-references' {
  const serverReferences: Record<string, () => Promise<Record<string, unknown>>> | undefined;
  export default serverReferences;
}

/** Waku's internal `lib/utils/ssr.js`, resolved by `src/runtime/renderer/vite.ts`. */
declare module 'virtual:flight-recorder/waku-ssr' {
  export function createBootstrapScriptContent(entryUrl: string): string;
  export function getBootstrapPreamble(options: {
    hydrate: boolean;
    initialRsc: boolean;
    debugId?: string | undefined;
  }): string;
}

/** Waku's bootstrap script sets it when the server rendered the page's own HTML, and not an error page in its place. */
declare var __WAKU_HYDRATE__: boolean | undefined;

/** The experiments of the lab, from their files: src/lab/vite.ts. Only in the server's environment. */
declare module 'virtual:flight-recorder/experiments' {
  export const experiments: readonly import('#src/lab/list/experiment.ts').Experiment[];
  /** The group of the folder that `npm run lab` was started with. */
  export const ownGroup: string | undefined;
}

import type { Framework } from '#flight';

/** What each framework is called. */
export const frameworkNames: Readonly<Record<Framework, string>> = {
  waku: 'Waku',
  next: 'Next.js',
  'react-router': 'React Router',
  'vite-rsc': '@vitejs/plugin-rsc',
  redwood: 'RedwoodSDK',
  parcel: 'Parcel',
  'tanstack-start': 'TanStack Start',
};

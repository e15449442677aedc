import type { Breadcrumb, Incident } from '#src/reports/incident.ts';

/** One line of the timeline. */
export type TimelineMoment = {
  readonly time: number;
  readonly side: 'server' | 'browser';
  readonly category: string;
  /** The colour: one of the request kinds, `error`, or anything else for none. */
  readonly kind: string;
  readonly message: string;
  readonly data: Readonly<Record<string, string>>;
  /** The error itself, not what led to it. */
  readonly isError: boolean;
};

/** The SDK leaves the message of fetches and navigations empty: what they did is in their data. */
function describeCrumb({ message, data }: Breadcrumb): string {
  if (message) return message;
  const { method = '', url, status_code: status = '', from, to } = data;
  if (url !== undefined) return `${method} ${url} ${status}`.trim();
  return from !== undefined && to !== undefined ? `${from} → ${to}` : '';
}

function toMoment(crumb: Breadcrumb): TimelineMoment {
  const isBad = crumb.level === 'error' || crumb.level === 'fatal';
  return { ...crumb, message: describeCrumb(crumb), kind: isBad ? 'error' : crumb.category, isError: false };
}

/** What both sides did and where the error struck each of them, oldest first. The two clocks may differ. */
export function listMoments({ server, browser, breadcrumbs }: Incident): TimelineMoment[] {
  const errors = [
    ...(server ? [{ ...server, side: 'server' as const }] : []),
    ...browser.map((report) => ({ ...report, side: 'browser' as const })),
  ].map(({ time, side, name, message }): TimelineMoment => ({
    time,
    side,
    category: 'error',
    kind: 'error',
    message: `${name}: ${message}`,
    data: {},
    isError: true,
  }));
  return [...breadcrumbs.map(toMoment), ...errors].sort((a, b) => a.time - b.time);
}

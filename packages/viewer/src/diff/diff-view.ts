import type { ReactNode } from 'react';

import type { Place } from '#flight';

type Side = 'before' | 'after';

/** What is shown of a comparison: a page of its groups, or of one group's differences. Both count from 0. */
export type DiffView = { readonly group: number | undefined; readonly page: number };

/** How a comparison leads on: on the server by addresses, in the browser's own files by what is opened there. */
export type DiffLinks = {
  readonly toPlace: (side: Side, place: Place, text: string, label: string) => ReactNode;
  readonly toView: (view: DiffView, text: string) => ReactNode;
};

export const firstView: DiffView = { group: undefined, page: 0 };

/** Makes a page of some 100 kB. */
export const groupsOfPage = 100;
export const differencesOfPage = 200;

const number = /^\d{1,6}$/;

function readNumber(text: string | null): number | undefined {
  return text !== null && number.test(text) ? Number(text) : undefined;
}

/** Reads the view from an address's query, where `group` and `page` count from 1. What cannot be read is left out. */
export function parseDiffView(query: string): DiffView {
  const parameters = new URLSearchParams(query);
  const group = readNumber(parameters.get('group'));
  const page = readNumber(parameters.get('page'));
  return { group: group === undefined || group === 0 ? undefined : group - 1, page: Math.max(0, (page ?? 1) - 1) };
}

/** `?group=3&page=2`, or nothing for the first page. */
export function formatDiffView({ group, page }: DiffView): string {
  const parts = [...(group === undefined ? [] : [`group=${group + 1}`]), ...(page === 0 ? [] : [`page=${page + 1}`])];
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

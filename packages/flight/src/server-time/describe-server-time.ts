import { formatBytes, formatCount, formatDuration, formatShare } from '../format-numbers.ts';
import { findServerWaits, type ServerWait } from './find-server-waits.ts';
import type { ShellWait } from './read-shell-waits.ts';
import { nameSpan } from './name-span.ts';
import { writeServerTime, type PlacedSpan, type ServerTime, type WrittenServerTime } from './server-time.ts';

/** Names that code has are apart, so that a page can show them as code. Names of requests were chosen by whoever sent the spans. */
type Words = readonly (string | { readonly code: string })[];

/** A finding about a server's time as people read it: in the panel of a flight, in a terminal, in the API. */
export type ServerWaitWords = {
  readonly kind: ServerWait['kind'];
  /** What the times show. */
  readonly title: Words;
  /** What the times suggest and do not prove; empty where nothing is guessed. */
  readonly guess: Words;
  /** What can be done, with its condition. */
  readonly advice: Words;
  readonly ms: number;
};

/** A component or function, with where it is written. */
function nameWithPlace(span: PlacedSpan): Words {
  return [{ code: nameSpan(span) }, ...(span.place === undefined ? [] : [` (${span.place})`])];
}

function listNames(spans: readonly PlacedSpan[]): Words {
  return spans.flatMap((span, index) => [...(index === 0 ? [] : [', ']), ...nameWithPlace(span)]);
}

type ShellHolder = Extract<ServerWait, { readonly kind: 'holds-shell' }>;

function tellShellWait(wait: ShellWait): { title: string; advice: string } {
  const waited = formatDuration(Math.round(wait.until - wait.from));
  switch (wait.kind) {
    case 'first':
      return {
        title: `The payload’s first row came ${waited} after the request began.`,
        advice: 'A Suspense boundary around that component lets the rest of the page through.',
      };
    case 'row': {
      const own = wait.around === 'none' ? '' : ', unless the client code around it has one of its own';
      return {
        title: `Row ${wait.row}, outside every Suspense boundary of the payload, came ${waited} after the rows that it belongs to. ${formatBytes(wait.bytesBefore)} of the page had come before it.`,
        advice: `A Suspense boundary around it lets those through${own}.`,
      };
    }
  }
}

function describeShellHolder({ wait, span, inner, by }: ShellHolder): Omit<ServerWaitWords, 'kind'> {
  const { title, advice } = tellShellWait(wait);
  const within = by ? [' of ', ...nameWithPlace(by)] : [];
  const most = inner ? [' with its ', { code: nameSpan(inner) }] : [];
  const took = `, which took ${formatDuration(span.ms)} until then.`;
  return {
    title: [title],
    guess: ['Perhaps it waited for ', ...nameWithPlace(span), ...most, ...within, took],
    advice: [advice],
    ms: wait.until - wait.from,
  };
}

function describeWait(wait: ServerWait): Omit<ServerWaitWords, 'kind'> {
  switch (wait.kind) {
    case 'holds-shell':
      return describeShellHolder(wait);
    case 'longest': {
      const { span, share, by } = wait;
      const took = ` took ${formatDuration(span.ms)}, ${formatShare(share, 1)} of the time`;
      const title = [...nameWithPlace(span), took, ...(by ? [', in ', ...nameWithPlace(by)] : []), '.'];
      return { title, guess: [], advice: [], ms: span.ms };
    }
    case 'in-turn': {
      const { spans, ms, atLeastMs } = wait;
      const names = spans.map(({ name }) => name).join(', ');
      return {
        title: [
          `${formatCount(spans.length)} requests, each begun when the one before had ended, took ${formatDuration(ms)}: ${names}.`,
        ],
        guess: [],
        advice: [
          `If none needs another’s answer, together they take ${formatDuration(atLeastMs)}: begin them all, then await them.`,
        ],
        ms,
      };
    }
    case 'waits-in-turn': {
      const { by, spans, ms, atLeastMs } = wait;
      const waited = ` waited ${formatCount(spans.length)} times in turn, ${formatDuration(ms)} in all: `;
      return {
        title: [...nameWithPlace(by), waited, ...listNames(spans), '.'],
        guess: [],
        advice: [
          'As far as its code shows, none uses what another gave. With ',
          { code: 'Promise.all' },
          ` they take ${formatDuration(atLeastMs)}.`,
        ],
        ms,
      };
    }
    case 'repeated': {
      const { name, count, ms, by } = wait;
      const asked = ` was asked ${formatCount(count)} times, ${formatDuration(ms)} in all`;
      return {
        title: [{ code: name }, asked, ...(by.length === 0 ? [] : [', in ', ...listNames(by)]), '.'],
        guess: [],
        advice: ['React’s ', { code: 'cache' }, ' would ask once, if the answers are the same.'],
        ms,
      };
    }
  }
}

/** What stands out in a server's time, in words. */
export function describeServerWaits(time: ServerTime, shell: readonly ShellWait[]): ServerWaitWords[] {
  return findServerWaits(time, shell).map((wait) => ({ kind: wait.kind, ...describeWait(wait) }));
}

/** Where all is text: code stands in backticks. */
export function printWords(words: Words): string {
  return words.map((part) => (typeof part === 'string' ? part : `\`${part.code}\``)).join('');
}

function describeTellers({ tellers }: ServerTime): string {
  if (!tellers.includes('code')) return 'As the app’s OpenTelemetry tells it';
  const code = 'As the app’s components and functions tell it, with the requests that they sent';
  return tellers.includes('opentelemetry') ? `${code}, and as its OpenTelemetry does` : code;
}

/** Who told it, over how long, and what of it is a guess. */
export function introduceServerTime(time: ServerTime, lengthMs: number): string {
  const moved =
    time.movedMs === 0
      ? ''
      : ' Its clock is another one than the recorder’s, so all of it was moved to where the request began: that is a guess.';
  return `${describeTellers(time)}, over ${formatDuration(lengthMs)}.${moved}`;
}

/** For programs: what was told, and what stands out in it. */
export type ServerTimeReport = WrittenServerTime & {
  findings: { kind: ServerWait['kind']; title: string; guess: string; advice: string; ms: number }[];
};

export function reportServerTime(time: ServerTime, shell: readonly ShellWait[]): ServerTimeReport {
  const findings = describeServerWaits(time, shell).map(({ kind, title, guess, advice, ms }) => {
    return { kind, title: printWords(title), guess: printWords(guess), advice: printWords(advice), ms };
  });
  return { ...writeServerTime(time), findings };
}

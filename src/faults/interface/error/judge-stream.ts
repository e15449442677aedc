import { formatDuration } from '#flight';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';

/** Who ended an answer that a browser called too short, from what both sides know of it. */
export type StreamFacts = Pick<FlightSummary, 'outcome' | 'durationMs'> & {
  /** Whether all rows that the payload refers to were sent. */
  readonly isWhole: boolean;
  /** The browser had a connection when it told of it. */
  readonly wasOnline: boolean;
  /** Another build of the app answered soon after the end. */
  readonly deploy: { readonly build: string; readonly afterMs: number } | undefined;
};

export type StreamVerdict = 'offline' | 'cut' | 'deploy' | 'broken' | 'short' | 'behind' | 'unknown';

export function judgeStream({ outcome, isWhole, wasOnline, deploy }: StreamFacts): StreamVerdict {
  switch (outcome) {
    case 'left':
      return wasOnline ? 'cut' : 'offline';
    case 'failed':
      return deploy ? 'deploy' : 'broken';
    case 'complete':
      if (isWhole) return 'behind';
      return deploy ? 'deploy' : 'short';
    case 'none':
      return 'unknown';
  }
}

export function explainStream(facts: StreamFacts): string {
  const after = `after ${formatDuration(facts.durationMs)}`;
  switch (judgeStream(facts)) {
    case 'offline':
      return `The visitor’s connection was lost ${after}: the browser had none when it told of it.`;
    case 'cut':
      return (
        `Something between the visitor and the recorder cut it ${after}: the app was still sending, and the page was still there ` +
        'to tell of it. Proxies and load balancers cut what is open or silent for too long: look for a limit of that time.'
      );
    case 'deploy':
      return (
        `The app ended it ${after}, and ${formatDuration(facts.deploy?.afterMs ?? 0)} later build ${facts.deploy?.build} answered: ` +
        'a deploy. Let the old server end what it has begun before it stops.'
      );
    case 'broken':
      return `The app broke it off ${after}: a crash, a stop, or a limit of its platform. Its log of that moment says which.`;
    case 'short':
      return (
        `The app ended it in order ${after}, with rows that never came: its code or its platform closed the stream before the ` +
        'page was rendered, as a limit on a function’s time does.'
      );
    case 'behind':
      return `The app sent all of it in ${formatDuration(facts.durationMs)}. It was cut behind the recorder, on its way to the visitor.`;
    case 'unknown':
      return 'The recorder saw no stream of this answer.';
  }
}

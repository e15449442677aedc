import type { ReactNode } from 'react';

import { Moment } from '#src/ui/moment.tsx';

type SignProps = {
  readonly what: 'flight' | 'error' | 'untrusted';
  /** When the latest came, in milliseconds since 1970. */
  readonly time: number | undefined;
  readonly now: number;
  /** Leads to what came. */
  readonly children: ReactNode;
};

const words = { flight: 'Flights come', error: 'Errors come', untrusted: 'Errors of browsers come' } as const;

/** Whether something of the app has come. It is there before its text changes, so that the change is announced. */
export function Sign({ what, time, now, children }: SignProps) {
  return (
    <p role="status" className={time === undefined ? 'sign' : 'sign sign-there'}>
      {time === undefined ? (
        <span>Waiting for the first {what} …</span>
      ) : (
        <span>
          {words[what]}: the latest <Moment time={time} now={now} isDense />. {children}
        </span>
      )}
    </p>
  );
}

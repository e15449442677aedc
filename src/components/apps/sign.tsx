import './apps.css';

import type { ReactNode } from 'react';

import { Moment } from '#src/components/moment.tsx';

type SignProps = {
  readonly what: 'flight' | 'error';
  /** When the latest came, in milliseconds since 1970. */
  readonly time: number | undefined;
  readonly now: number;
  /** Leads to what came. */
  readonly children: ReactNode;
};

/** Whether something of the app has come. It is there before its text changes, so that the change is announced. */
export function Sign({ what, time, now, children }: SignProps) {
  return (
    <p role="status" className={time === undefined ? 'sign' : 'sign sign-there'}>
      {time === undefined ? (
        <span>Waiting for the first {what} …</span>
      ) : (
        <span>
          {what === 'flight' ? 'Flights come' : 'Errors come'}: the latest <Moment time={time} now={now} isDense />.{' '}
          {children}
        </span>
      )}
    </p>
  );
}

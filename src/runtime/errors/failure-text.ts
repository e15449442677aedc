import type { Delivery } from '#report/browser/kept-reports.ts';

/**
 * Which side failed, as the visitor is told. A client component that fails during server rendering counts as the
 * server's.
 */
export type FailureSide = 'server' | 'browser';

export const failureTitle = 'Something went wrong';

/** What happened, and where its cause is written. It says nothing of the cause itself. */
export function describeFailure(side: FailureSide, hasDigest: boolean): string {
  switch (side) {
    case 'server':
      return `A server-side error has occurred. The cause is in the server log${hasDigest ? ', under this digest' : ''}.`;
    case 'browser':
      return `A client-side error has occurred. The cause is in the browser console${hasDigest ? ', and in a report under this digest' : ''}.`;
  }
}

export const digestHint = 'Pass it on to whoever runs this site: it leads them to what went wrong.';

/** Whether the error of a browser's own error has arrived. */
export function describeDelivery(delivery: Delivery): string {
  switch (delivery) {
    case 'in-flight':
      return 'This report has not reached the server yet.';
    case 'arrived':
      return 'This report has reached the server.';
  }
}

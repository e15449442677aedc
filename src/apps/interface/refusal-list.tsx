import { formatCount } from '#flight';
import type { CountedRefusal } from '#src/apps/refusals.ts';
import { Moment } from '#src/ui/moment.tsx';

/** What each code means for somebody who set up a sender. A code that is not here is shown as it is. */
const words: Readonly<Record<string, string>> = {
  'not-for-uploads':
    'Source maps came with the secret key. Make an upload token below, and set it as SENTRY_AUTH_TOKEN where the app is built.',
  'wrong-key': 'The key was not this app’s. Copy the address and the key again, and restart the sender.',
  'unknown-key': 'The key was not this app’s. Copy the DSN again.',
  'no-key': 'It named no key. Copy the DSN again.',
  'malformed-request': 'It could not be read: the log of this server says what was wrong, in a line request-refused.',
  'body-too-large': 'It was larger than what is taken at once.',
  'unsupported-type': 'Its content type is not one that is taken.',
  'unsupported-encoding': 'It was packed with something that is not taken here.',
  'not-stored': 'It could not be stored: the disk was full or too slow.',
  overloaded: 'This server had too much to do.',
  'too-slow': 'It did not arrive in time.',
  'too-many-requests': 'It was sent too often.',
};

/** What was sent for the app and refused, and why. On a narrow screen each row folds. */
export function RefusalList({ refusals, now }: { refusals: readonly CountedRefusal[]; now: number }) {
  if (refusals.length === 0) {
    return <p className="text-quiet">Nothing that was sent for this app was refused.</p>;
  }
  return (
    <table className="fold" aria-label="Refused">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Why</th>
          <th scope="col">How often</th>
          <th scope="col">Last</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ endpoint, reason, count, lastTime }) => (
          <tr key={`${endpoint} ${reason}`}>
            <th scope="row">{endpoint}</th>
            <td className="sm:w-full">
              {words[reason]} <span className="code text-quiet">{reason}</span>
            </td>
            <td data-label="How often">{formatCount(count)}</td>
            <td data-label="Last" className="whitespace-nowrap">
              <Moment time={lastTime} now={now} isDense />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

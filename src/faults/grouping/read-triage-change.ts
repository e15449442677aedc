import 'server-only';

import type { TriageChange } from './triage.ts';

/** A year: what is to be left alone for longer is muted. */
const hoursAtMost = 24 * 366;
const countAtMost = 1_000_000;
/** As long as a stored release's name. */
const releaseLengthAtMost = 200;

function readNumber(value: unknown, atMost: number): number | undefined {
  if (typeof value !== 'string' || !/^[1-9]\d{0,6}$/.test(value)) return undefined;
  const number = Number(value);
  return number <= atMost ? number : undefined;
}

/** The fields of src/faults/actions/triage-faults.ts; undefined when they are not what its form sends. */
export function readTriageChange(form: FormData): TriageChange | undefined {
  const type = form.get('to');
  const [hours, count] = [readNumber(form.get('hours'), hoursAtMost), readNumber(form.get('count'), countAtMost)];
  switch (type) {
    case 'open':
    case 'resolve':
    case 'resolve-next':
    case 'mute':
      return { type };
    case 'resolve-in': {
      const release = form.get('release');
      const isName = typeof release === 'string' && release.trim() !== '' && release.length <= releaseLengthAtMost;
      return isName ? { type, release: release.trim() } : undefined;
    }
    case 'snooze':
      return hours === undefined ? undefined : { type, hours };
    case 'snooze-volume':
      return hours === undefined || count === undefined ? undefined : { type, hours, count };
    default:
      return undefined;
  }
}

import { formatCount } from './format-numbers.ts';
import type { HarLeftOut } from './from-har.ts';

function countBytes(bytes: number): string {
  return `${formatCount(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

/** What is wrong with a response that a HAR does not hold, in words that go on after its name and a colon. */
export function explainLeftOut({ reason, missingBytes }: HarLeftOut): string {
  const size = missingBytes > 0 ? ` of ${countBytes(missingBytes)}` : '';
  switch (reason) {
    case 'no-body':
      return `the HAR holds no body for it${missingBytes > 0 ? `, and says there were ${countBytes(missingBytes)}` : ''}`;
    case 'not-base64':
      return `its body${size} is said to be base64 and is not`;
    case 'cut':
      return `its body is cut before the root row: ${countBytes(missingBytes)} are missing`;
    case 'lossy':
      return 'its rows cannot be found: binary data in it was lost when the HAR was saved';
    case 'not-flight':
      return 'it was asked for as Flight, and its body is none';
  }
}

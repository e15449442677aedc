/**
 * A binary prop
 *
 * A client component draws the 2,048 samples of a sound. They are given to it as a Uint8Array, as an array of numbers, or as a
 * base64 text.
 *
 * Look for: As a Uint8Array they are a row of their own that begins with `o`, and cost 2,048 bytes and a few. As numbers
 * they cost three to four bytes each, as base64 a third more than the bytes. In a document the rows stand inside scripts,
 * which are text: there bytes become base64, and the response is as large as with the base64 prop.
 */
import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Samples } from './binary-prop/samples.tsx';

export const group = 'What goes over the wire';
export const order = 8;

/** Two tones, so that the numbers are not all alike. */
const sound = Uint8Array.from({ length: 2_048 }, (_, at) => 128 + 80 * Math.sin(at / 9) + 40 * Math.sin(at / 2.3));

export default function BinaryProp({ query }: { query: URLSearchParams }) {
  const given = query.get('as');
  return (
    <>
      <p>
        Give it{' '}
        <Link to={experimentPath('binary-prop')} prefetch="never">
          bytes
        </Link>
        ,{' '}
        <Link to={`${experimentPath('binary-prop')}?as=numbers`} prefetch="never">
          numbers
        </Link>{' '}
        or{' '}
        <Link to={`${experimentPath('binary-prop')}?as=base64`} prefetch="never">
          base64
        </Link>
        .
      </p>
      {given === 'numbers' ? <Samples samples={Array.from(sound)} /> : null}
      {given === 'base64' ? <Samples samples={btoa(String.fromCharCode(...sound))} /> : null}
      {given === 'numbers' || given === 'base64' ? null : <Samples samples={sound} />}
    </>
  );
}

/**
 * Keys and identity
 *
 * Choose “Show all”, type something into a field, then turn the list around, with keys and without. You reorder a list. Does the
 * text that you typed move with its name?
 *
 * Look for: The key is the third part of an element, `["$","label","Ada",…]`, and `null` where there is none. The server chooses the
 * key, and the key decides which state the browser keeps. With keys the text moves with its name; without them React knows a line by
 * its place alone, and the text stays there.
 */
import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

export const group = 'A course, step by step';
export const order = 5;

const names = ['Ada', 'Grace', 'Margaret'];

function Field({ name }: { name: string | undefined }) {
  return (
    <label className="block">
      {name} <input type="text" />
    </label>
  );
}

export default function KeysAndIdentity({ query }: { query: URLSearchParams }) {
  const isKeyed = query.get('keys') !== 'none';
  const isReversed = query.get('order') === 'reversed';
  const shown = isReversed ? names.toReversed() : names;
  const [first, second, third] = shown;
  const turned = `order=${isReversed ? 'given' : 'reversed'}${isKeyed ? '' : '&keys=none'}`;
  return (
    <>
      <p>
        <Link to={`${experimentPath('keys-and-identity')}?${turned}`} prefetch="never">
          Turn it around
        </Link>
        , with{' '}
        <Link to={experimentPath('keys-and-identity')} prefetch="never">
          keys
        </Link>{' '}
        or{' '}
        <Link to={`${experimentPath('keys-and-identity')}?keys=none`} prefetch="never">
          none
        </Link>
        .
      </p>
      <div className="stack-2">
        {isKeyed ? (
          shown.map((name) => <Field key={name} name={name} />)
        ) : (
          // One by one: of a list without keys React warns.
          <>
            <Field name={first} />
            <Field name={second} />
            <Field name={third} />
          </>
        )}
      </div>
    </>
  );
}

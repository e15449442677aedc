/**
 * Duplicates and cache
 *
 * Twelve server components each load the same author and give it to a client component. Loaded anew, every author is an object of
 * its own. With React’s `cache` all of them get the same object.
 *
 * Look for: React sends an object once and refers to it afterwards, but only when it is the same object; equal is not
 * enough. With `cache` the author is in the payload once, and eleven times as a reference such as
 * `"$2:props:children:3:props:author"`: 2 kB less. Gzip hides it, both are as large on the way; the browser parses and
 * keeps twelve objects, or one.
 */
import { cache } from 'react';

import { experimentPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Byline } from './duplicates/byline.tsx';

export const group = 'What goes over the wire';
export const order = 5;

const posts = Array.from({ length: 12 }, (_, index) => index + 1);

async function loadAuthor(id: number) {
  return {
    id,
    name: 'Margaret Hamilton',
    about: 'Wrote the flight software of the Apollo guidance computer, and gave software engineering its name.',
    places: ['Paoli, Indiana', 'Cambridge, Massachusetts', 'Boston, Massachusetts'],
  };
}

const loadAuthorOnce = cache(loadAuthor);

async function Post({ number, isCached }: { number: number; isCached: boolean }) {
  const author = await (isCached ? loadAuthorOnce(7) : loadAuthor(7));
  return (
    <li>
      Post {number}, <Byline author={author} />
    </li>
  );
}

export default function Duplicates({ query }: { query: URLSearchParams }) {
  const isCached = query.get('with') === 'cache';
  return (
    <>
      <p>
        Load the author{' '}
        <Link to={experimentPath('duplicates')} prefetch="never">
          each time
        </Link>{' '}
        or{' '}
        <Link to={`${experimentPath('duplicates')}?with=cache`} prefetch="never">
          with cache
        </Link>
        .
      </p>
      <ul>
        {posts.map((number) => (
          <Post key={number} number={number} isCached={isCached} />
        ))}
      </ul>
    </>
  );
}

/**
 * Duplicates and cache
 *
 * Twelve server components each load the same author and give it to a client component: each time anew, or with React’s `cache`,
 * which gives all of them one object. Is the author sent once, or twelve times?
 *
 * Look for: React sends an object once only when it is the same object; an equal one is sent again. With `cache` the author is there
 * once, and eleven times as `"$2:props:children:3:props:author"`: row 2, its props, their children, item 3 (the first is 0), its
 * props, `author`. That is 2 kB less; after gzip both have almost the same size, but the browser parses and keeps one object in
 * place of twelve.
 */
import { cache } from 'react';

import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Byline } from './duplicates/byline.tsx';

export const group = 'A course, step by step';
export const order = 6;

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

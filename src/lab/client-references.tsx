/**
 * Client components in a loop
 *
 * A hundred tags are client components, each an element that the server sends. Or one client component is given the hundred texts,
 * and loops in the browser. What does a client component cost, once and for each use?
 *
 * Look for: One `I` row names `Tag`, although it is used a hundred times. Each use costs about 39 bytes as an element, and about 9
 * as a text in a list. That is 3 kB of difference, of which gzip leaves a tenth.
 */
import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Tag } from './client-references/tag.tsx';
import { TagList } from './client-references/tag-list.tsx';

export const group = 'A course, step by step';
export const order = 3;

const tags = Array.from({ length: 100 }, (_, index) => `tag-${index + 1}`);

export default function ClientReferences({ query }: { query: URLSearchParams }) {
  return (
    <>
      <p>
        Loop{' '}
        <Link to={experimentPath('client-references')} prefetch="never">
          on the server
        </Link>{' '}
        or{' '}
        <Link to={`${experimentPath('client-references')}?loop=browser`} prefetch="never">
          in the browser
        </Link>
        .
      </p>
      {query.get('loop') === 'browser' ? (
        <TagList tags={tags} />
      ) : (
        <p className="flex flex-wrap gap-x-2">
          {tags.map((tag) => (
            <Tag key={tag} text={tag} />
          ))}
        </p>
      )}
    </>
  );
}

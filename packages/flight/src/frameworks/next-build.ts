import { readAt, textOf, type PayloadReader } from '../payload-reader.ts';
import { readOldAction, readOldRoot, readProps } from './next-route.ts';

/** What `next dev` says. */
const development = 'development';

/**
 * The id of the build, as it stands in `.next/BUILD_ID`. Where the app has a deployment id, Next.js 16 says that instead, beside the
 * payload: in a header, or as an attribute of the document. Sources: next 14.2, 15.5 and 16.4, app-render.js.
 */
export function readNextBuild(reader: PayloadReader): string | undefined {
  const { root } = reader;
  if (!root) return undefined;
  const build =
    textOf(readAt(reader, root, 'b')) ?? textOf(readAt(reader, root, 'buildId')) ?? readOldBuild(reader, root);
  return build === development ? undefined : build;
}

/** Next 13 and 14: the first of a navigation's root and of an action's second part, a property of the element in a document. */
function readOldBuild(reader: PayloadReader, root: NonNullable<PayloadReader['root']>): string | undefined {
  const [first, ...others] = readOldRoot(reader, readOldAction(root) ?? root);
  const named = textOf(first);
  if (named !== undefined || !first) return named;
  for (const item of [first, ...others]) {
    const build = textOf(readAt(reader, readProps(item), 'buildId'));
    if (build !== undefined) return build;
  }
  return undefined;
}

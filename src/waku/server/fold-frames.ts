/**
 * A stack as an app's author reads it: the frames of the app, and where others begin, how many. An error in a component has twenty
 * frames of React below it, and in a production build nothing in their paths tells them from the app's. So they are known by
 * the names of React's functions, which its server builds keep.
 */

/** ` at fn (file:1:2)` and ` at file:1:2`. A line of a cause may be of its message, and anybody's text: so it is read part by part. */
const frameStart = /^(\s+)at (?:async )?(?:new )?/;
const position = /(?::\d{1,9}){0,2}\)?$/;
/** A longer line is none of a frame. */
const longestFrame = 2_000;

/** React's functions between a component and the task that renders it, in its two server renderers. */
const reactFunction =
  /(?:^|\.)(?:react_stack_bottom_frame|(?:render|retry|resolve|outline|emit|ping|perform|call|finish)(?:FunctionComponent|WithHooks|Element|Model|ModelDestructive|ModelChunk|Node|NodeDestructive|Task|RenderTask|ReplayTask|Work|Chunk|ClientReference|ChildrenArray|Component|ComponentInDEV|LazyInitInDEV|HostElement|SuspenseBoundary|LazyComponent|Fragment|AsyncFragment|Children|ClassComponent|Forward))$/;
const packagePattern = /[\\/]node_modules[\\/]/;
const reactPackagePattern = /[\\/]node_modules[\\/](?:react|react-dom|react-server-dom-webpack|scheduler)[\\/]/;

type Frame = { readonly owner: 'app' | 'react' | 'package' | 'node'; readonly indent: string; readonly text: string };

/** @param reactFiles bundles in which React's functions were seen: what stands there below them is React's, too */
function readFrame(text: string, reactFiles: Set<string>): Frame | undefined {
  const [start, indent = ''] = (text.length <= longestFrame && frameStart.exec(text)) || [];
  if (start === undefined) return undefined;
  const rest = text.slice(start.length);
  const bracket = rest.indexOf(' (');
  const fn = bracket === -1 ? '' : rest.slice(0, bracket);
  const file = rest.slice(bracket === -1 ? 0 : bracket + 2).replace(position, '');
  const frame = { indent, text };
  if (file.startsWith('node:') || file === 'native' || file === '<anonymous>') return { ...frame, owner: 'node' };
  if (reactPackagePattern.test(file)) return { ...frame, owner: 'react' };
  if (packagePattern.test(file)) return { ...frame, owner: 'package' };
  if (reactFunction.test(fn)) reactFiles.add(file);
  return { ...frame, owner: reactFiles.has(file) ? 'react' : 'app' };
}

function describeRun(run: readonly Frame[]): string {
  const owners = new Set(run.map(({ owner }) => owner));
  const whose = owners.has('react') ? 'React' : owners.has('package') ? 'node_modules' : 'Node';
  return `${run[0]?.indent ?? ''}… ${run.length} ${run.length === 1 ? 'frame' : 'frames'} of ${whose}`;
}

/** The first frame stays, whosever it is: there it was thrown. So do lines that are no frames. */
export function foldFrames(stack: string): string {
  const lines: string[] = [];
  const reactFiles = new Set<string>();
  let run: Frame[] = [];
  let isFirst = true;

  function endRun(): void {
    if (run.length > 0) lines.push(describeRun(run));
    run = [];
  }

  for (const text of stack.split('\n')) {
    const frame = readFrame(text, reactFiles);
    if (frame && frame.owner !== 'app' && !isFirst) {
      run.push(frame);
      continue;
    }
    endRun();
    lines.push(text);
    if (frame) isFirst = false;
  }
  endRun();
  return lines.join('\n');
}

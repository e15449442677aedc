import 'server-only';

import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/javascript';
import type { ReactNode } from 'react';

/** The names that source-view.css has colours for. */
const highlighter = tagHighlighter([
  { tag: tags.comment, class: 'comment' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.self, tags.null, tags.bool], class: 'keyword' },
  { tag: [tags.string, tags.regexp], class: 'string' },
  { tag: tags.number, class: 'number' },
  { tag: [tags.tagName, tags.typeName, tags.className], class: 'type' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], class: 'call' },
  { tag: tags.attributeName, class: 'attribute' },
]);

/** A larger source is shown without colours. The largest experiment has a tenth of it. */
const longestColoured = 64 * 1024;

/** A source in lines, coloured on the server: no page loads code for it. */
export function highlightSource(source: string): readonly ReactNode[] {
  if (source.length > longestColoured) return source.split('\n');
  const lines: ReactNode[][] = [[]];
  function put(text: string, kind: string): void {
    const line = lines.at(-1);
    line?.push(
      kind === '' ? (
        text
      ) : (
        <span key={line.length} data-code={kind}>
          {text}
        </span>
      ),
    );
  }
  highlightCode(source, parser.configure({ dialect: 'ts jsx' }).parse(source), highlighter, put, () => lines.push([]));
  return lines.map((line) => (line.length === 0 ? '' : <>{line}</>));
}

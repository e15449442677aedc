import 'server-only';

import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/javascript';
import type { ReactNode } from 'react';

import { CodeFrame } from '#src/ui/code-frame.tsx';
import { EditorLink } from '#src/ui/editor/editor-link.tsx';

import './source-view.css';

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
function highlightSource(source: string): readonly ReactNode[] {
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

/** A string literal with the word by which tests recognise a leaked message. */
const thrownMessage = /(['"`])(?:(?!\1).)*canary(?:(?!\1).)*\1/g;

/** The source as it may be shown. */
export function hideThrown(source: string): string {
  return source.trimEnd().replace(thrownMessage, "'…'");
}

/** The lines of the doc comment at the top: the page has them as its title and its text. */
function countCommentLines(source: string): number {
  const [comment = ''] = /^\/\*\*[\s\S]*?\*\/\n/.exec(source) ?? [];
  return comment.split('\n').length - 1;
}

type SourceViewProps = { readonly source: string; readonly file: string; readonly isOpen: boolean };

/**
 * The source of an experiment. The messages that it throws are left out: no response may contain the message of a
 * server error, and an exception here would hide a real leak.
 */
export function SourceView({ source, file, isOpen }: SourceViewProps) {
  const shown = hideThrown(source);
  const told = countCommentLines(shown);
  return (
    <details className="stack-1.5" open={isOpen}>
      <summary className="text-sm">
        Source of{' '}
        <EditorLink file={file}>
          <code>{file}</code>
        </EditorLink>
      </summary>
      {/* Beside a payload it scrolls, by the keyboard, too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="source-lines" tabIndex={0} role="group" aria-label={`Lines of ${file}`}>
        <CodeFrame firstLine={1 + told} lines={highlightSource(shown).slice(told)} label={`Source of ${file}`} />
      </div>
    </details>
  );
}

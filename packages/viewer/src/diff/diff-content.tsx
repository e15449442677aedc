import type { DiffContent as Content, DiffGroup } from '#flight';

import { markWords } from './mark-words.ts';

/** Characters that stand in the line; the rest is opened. */
const inline = 240;

const signs = { before: '−', after: '+' } as const;

function Text({ content, side }: { content: Content; side: 'before' | 'after' }) {
  const { text, isText, isCut } = content;
  const isLong = text.length > inline;
  const shown = isText
    ? `“${isLong ? `${text.slice(0, inline)}…` : text}”`
    : isLong
      ? `${text.slice(0, inline)}…`
      : text;
  return (
    <div className={side === 'after' ? 'diff-line diff-added' : 'diff-line diff-removed'}>
      <span aria-hidden="true">{signs[side]}</span>
      <div className="min-w-0">
        <span className="sr-only">{side}: </span>
        <span className="code">{shown}</span>
        {isLong ? (
          <details>
            <summary>{isCut ? 'The first 2,000 characters' : 'All of it'}</summary>
            <pre className="max-h-80 overflow-auto whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</pre>
            {isCut ? <p className="text-quiet">Its row has the rest.</p> : null}
          </details>
        ) : null}
      </div>
    </div>
  );
}

/** What was there before and what is there after, within the line: changed words are marked where the texts are short. */
export function DiffContent({ group: { kind, before, after } }: { readonly group: DiffGroup }) {
  if (kind === 'moved') return after ? <Text content={after} side="after" /> : null;
  const marked = before?.isText && after?.isText ? markWords(before.text, after.text) : undefined;
  if (!marked) {
    return (
      <>
        {before ? <Text content={before} side="before" /> : null}
        {after ? <Text content={after} side="after" /> : null}
      </>
    );
  }
  return (
    <p className="diff-words">
      {marked.map((part, index) => {
        if (part.kind === 'same') return <span key={index}>{part.text}</span>;
        return part.kind === 'removed' ? <del key={index}>{part.text}</del> : <ins key={index}>{part.text}</ins>;
      })}
    </p>
  );
}

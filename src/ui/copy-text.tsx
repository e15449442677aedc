import './copy-text.css';

import { CopyButton } from '#src/runtime/errors/copy-button.tsx';

/** A line wraps between two words. A break at a hyphen would make two options of one. */
function keepWords(text: string) {
  return text
    .trimEnd()
    .split(/(\s+)/)
    .map((part, index) => (/^\s/.test(part) ? part : <span key={index}>{part}</span>));
}

type CopyTextProps = {
  readonly text: {
    /** Completes "Copied: …". */
    readonly what: string;
    readonly text: string;
  };
};

/** A text to copy. Without JavaScript it is selected by hand. */
export function CopyText({ text: { what, text } }: CopyTextProps) {
  return (
    <div className="copy-text">
      <pre>
        <code>{keepWords(text)}</code>
      </pre>
      <CopyButton text={text} what={what} className="button-small" />
    </div>
  );
}

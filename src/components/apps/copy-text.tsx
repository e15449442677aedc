import './apps.css';

import type { SetUpText } from '#src/apps/set-up-texts.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';

/** A line wraps between two words. A break at a hyphen would make two options of one. */
function keepWords(text: string) {
  return text
    .trimEnd()
    .split(/(\s+)/)
    .map((part, index) => (/^\s/.test(part) ? part : <span key={index}>{part}</span>));
}

/** A text to copy. Without JavaScript it is selected by hand. */
export function CopyText({ text: { what, text } }: { text: SetUpText }) {
  return (
    <div className="copy-text">
      <pre>
        <code>{keepWords(text)}</code>
      </pre>
      <CopyButton text={text} what={what} className="button-small" />
    </div>
  );
}

import './apps.css';

import type { SetUpText } from '#src/apps/set-up-texts.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';

/** A text to copy. Without JavaScript it is selected by hand. */
export function CopyText({ text: { what, text } }: { text: SetUpText }) {
  return (
    <div className="copy-text">
      <pre>
        <code>{text.trimEnd()}</code>
      </pre>
      <CopyButton text={text} what={what} className="button-small" />
    </div>
  );
}

import { CodeFrame } from '#src/components/code-frame.tsx';

/** A string literal with the word by which tests recognise a leaked message. */
const thrownMessage = /(['"`])(?:(?!\1).)*canary(?:(?!\1).)*\1/g;

type SourceViewProps = { readonly source: string; readonly file: string; readonly isOpen: boolean };

/**
 * The source of an experiment. The messages that it throws are left out: no response may contain the message of a
 * server error, and an exception here would hide a real leak.
 */
export function SourceView({ source, file, isOpen }: SourceViewProps) {
  const lines = source.trimEnd().replace(thrownMessage, "'…'").split('\n');
  return (
    <details className="stack-1.5" open={isOpen}>
      <summary className="text-sm">
        Source of <code>{file}</code>
      </summary>
      <CodeFrame firstLine={1} lines={lines} label={`Source of ${file}`} />
    </details>
  );
}

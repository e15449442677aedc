import { CodeFrame } from './code-frame.tsx';

/** A string literal that holds the word by which a leaked message is recognised. */
const thrownMessage = /(['"`])(?:(?!\1).)*canary(?:(?!\1).)*\1/g;

/**
 * The source of an experiment. What it throws is left out: no response may hold the message of a server error, and an
 * exception made here would hide a real leak.
 */
export function SourceView({ source, file }: { source: string; file: string }) {
  const lines = source.trimEnd().replace(thrownMessage, "'…'").split('\n');
  return (
    <details className="stack-1.5">
      <summary className="text-sm">
        Source of <code>{file}</code>
      </summary>
      <CodeFrame firstLine={1} lines={lines} label={`Source of ${file}`} />
    </details>
  );
}

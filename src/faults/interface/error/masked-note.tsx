import { isMaskedMessage } from '#src/faults/grouping/masked-errors.ts';
import { ownApp } from '#src/store/own-app.ts';

type Told = {
  readonly message: string;
  readonly app: string;
  /** A reporter in the app told it, with its runtime. */
  readonly isReported: boolean;
};

/** Says how to learn the real message where a framework put one text in the place of every server's error, as they do in production. */
export function MaskedNote({ message, app, isReported }: Told) {
  if (app === ownApp || !isMaskedMessage(message)) return null;
  if (isReported) {
    return (
      <p className="text-sm text-quiet">
        This text stands for every server’s error in production: the framework gave the reporter in the app no more, as
        Next.js 15 does of what is thrown and is no Error. The app’s output may say what it was.
      </p>
    );
  }
  return (
    <div className="stack-1.5 text-sm text-quiet">
      <p>
        This text stands for every server’s error in production: the framework hides the real one from whoever told
        this. In a Next.js app, this line of <code>instrumentation.ts</code> shows it from the next error on, but for
        what Next.js 15 gives nobody: what is thrown and is no Error, and errors of <code>generateMetadata</code>.
      </p>
      <pre>{"export { onRequestError } from 'flight-recorder/next';"}</pre>
      <p>
        Elsewhere, <code>flight-recorder/rsc</code> does (docs/reporting-errors.md).
      </p>
    </div>
  );
}

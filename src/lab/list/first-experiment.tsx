import 'server-only';

import { CodeFrame } from '#src/ui/code-frame.tsx';
import { EmptyState } from '#viewer/empty-state.tsx';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';

import example from './example/hello.tsx?raw';

/** A folder of somebody's own with no experiment in it yet: how to begin. */
export function FirstExperiment({ folder }: { readonly folder: string }) {
  return (
    <EmptyState title={`No experiment in ${folder} yet`}>
      <p>
        An experiment is one file with a server component as its default export. Save this as{' '}
        <code>{folder}/hello.tsx</code>, and it is listed here by itself; or start <code>npm run lab</code> with{' '}
        <code>--example</code>, which writes it into a new folder.
      </p>
      <p>
        <CopyButton text={example} what="the first experiment" className="button-small" />
      </p>
      <CodeFrame firstLine={1} lines={example.trimEnd().split('\n')} label="A first experiment" />
    </EmptyState>
  );
}

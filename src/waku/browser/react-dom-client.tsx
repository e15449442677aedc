import {
  createRoot as createReactRoot,
  hydrateRoot as hydrateReactRoot,
  type Container,
  type HydrationOptions,
  type Root,
  type RootOptions,
} from 'react-dom/client';
import { Component, type ReactNode, useEffect } from 'react';
import { digests, reports } from 'virtual:flight-recorder/options';
import { startReports } from 'virtual:flight-recorder/reports';

import { takeFormState } from '#src/runtime/actions/form-state.ts';
import { adoptDocumentDigest, describeShown } from '#src/runtime/errors/browser-digest.ts';

import { toQuietOptions } from './quiet-root.ts';
import { loadLate } from './late.ts';
import { PlainFailure } from './plain-failure.tsx';
import { type ShownFailure, toShownFailure } from './shown-failure.ts';
import { useLate } from './use-late.ts';

/**
 * What the app's browser entry gets as `react-dom/client`, its own `waku.client.tsx` as well as Waku's default entry. So an app
 * with an entry of its own changes nothing in it.
 *
 * The plugin resolves `react-dom/client` to this module in the environment `client`, for importers below the app's `srcDir` and for
 * `\0virtual:vite-rsc-waku/client-entry`. Of the app's roots only the one of the document is changed.
 */
startReports?.();
if (digests) adoptDocumentDigest();

function RootFailure(shown: ShownFailure) {
  const late = useLate();
  useEffect(() => void loadLate(), []);
  if (late) return <late.FailedDocument {...shown} />;
  return (
    <html lang="en">
      <body>
        <PlainFailure digest={shown.digest} />
      </body>
    </html>
  );
}

/** The last boundary, around the app's router: for a root layout or first payload that fails. */
class RootGuard extends Component<{ readonly children: ReactNode }, { readonly shown?: ShownFailure }> {
  override state: { readonly shown?: ShownFailure } = {};

  static getDerivedStateFromError(error: unknown): { readonly shown: ShownFailure } {
    return { shown: toShownFailure(describeShown(error)) };
  }

  override render(): ReactNode {
    const { shown } = this.state;
    return shown ? <RootFailure {...shown} /> : this.props.children;
  }
}

function guard(node: ReactNode): ReactNode {
  return digests ? <RootGuard>{node}</RootGuard> : node;
}

function toOptions<Options extends RootOptions>(options: Options): Options {
  return digests || reports ? toQuietOptions(options) : options;
}

/** A page that answers a form the browser submitted itself carries the form's state, which Waku does not hand on. */
export function hydrateRoot(container: Element | Document, node: ReactNode, options: HydrationOptions = {}): Root {
  if (container !== document) return hydrateReactRoot(container, node, options);
  return hydrateReactRoot(container, guard(node), toOptions({ ...options, ...takeFormState() }));
}

export function createRoot(container: Container, options: RootOptions = {}): Root {
  const root = createReactRoot(container, container === document ? toOptions(options) : options);
  if (container !== document) return root;
  return { render: (node) => root.render(guard(node)), unmount: () => root.unmount() };
}

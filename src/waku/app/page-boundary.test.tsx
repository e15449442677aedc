import { act, Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { FlightRecorderPageBoundary, type ErrorPageProps } from './page-boundary.tsx';

const { reload, location } = vi.hoisted(() => ({
  reload: vi.fn(() => Promise.resolve()),
  location: { path: '/a', query: '' },
}));
vi.mock('waku/router/client', () => ({ useRouter: () => ({ ...location, reload }) }));
vi.mock('waku/minimal/client', async (original) => ({
  ...(await original<typeof import('waku/minimal/client')>()),
  useElementsPromise_UNSTABLE: () => location,
}));
vi.mock('../browser/late-parts.tsx', () => ({
  ErrorPanel: ({ side, digest }: { side: string; digest: string }) => (
    <p>
      panel {side} {digest}
    </p>
  ),
}));

let root: ReturnType<typeof createRoot>;
let container: HTMLElement;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  container = document.createElement('div');
  // What a boundary catches is reported elsewhere: with-reports.ts.
  root = createRoot(container, { onCaughtError: () => undefined });
});

afterEach(() => {
  act(() => root.unmount());
  vi.unstubAllGlobals();
});

function Fail({ digest }: { digest: string | undefined }): ReactNode {
  throw Object.assign(new Error('masked'), digest === undefined ? {} : { digest });
}

/** Waku's own, which stands around the layout. */
class Outer extends Component<{ children: ReactNode }, { caught: string }> {
  override state = { caught: '' };
  static getDerivedStateFromError(error: unknown) {
    return { caught: error instanceof Error && 'digest' in error ? String(error.digest) : 'other' };
  }
  override render() {
    return this.state.caught ? `waku caught ${this.state.caught}` : this.props.children;
  }
}

async function show(children: ReactNode, errorPage?: (props: ErrorPageProps) => ReactNode): Promise<void> {
  await act(async () => {
    root.render(
      <Outer>
        <FlightRecorderPageBoundary errorPage={errorPage}>{children}</FlightRecorderPageBoundary>
      </Outer>,
    );
  });
}

it("shows the server's digest, first plainly, and in the panel when that is loaded", async () => {
  await show(<Fail digest="3F7K2M9QRT" />);
  await vi.waitFor(async () => {
    await act(async () => undefined);
    expect(container.textContent).toBe('panel server 3F7K2M9QRT');
  });
});

it("leaves a redirect and a page that is not found to Waku's own boundary", async () => {
  const digest = '__WAKU_CUSTOM_ERROR__;{"status":404}';
  await show(<Fail digest={digest} />);
  expect(container.textContent).toBe(`waku caught ${digest}`);
});

it("gives the app's own error page the digest as people read it, and a way to try again", async () => {
  let given: ErrorPageProps | undefined;
  await show(<Fail digest="3F7K2M9QRT" />, (props) => {
    given = props;
    return 'our own page';
  });
  expect(container.textContent).toBe('our own page');
  expect(given).toMatchObject({ digest: '3F7K2-M9QRT', side: 'server', isRetrying: false });
  await act(async () => given?.retry());
  expect(reload).toHaveBeenCalledOnce();
});

it('gives an error of the browser a digest, which its report has', async () => {
  let given: ErrorPageProps | undefined;
  await show(<Fail digest={undefined} />, (props) => {
    given = props;
    return null;
  });
  expect(given?.side).toBe('browser');
  expect(given?.digest).toMatch(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/);
});

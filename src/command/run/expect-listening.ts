import { waitForPort } from '../ports.ts';
import { complain } from '../usage.ts';

/** Larger apps take this long to start in development. */
export const patienceMs = 15_000;

type Expected = {
  /** What the app was told. */
  readonly port: number;
  readonly program: string;
  readonly command: readonly string[];
  /** Where the app itself says that it listens. */
  readonly findAddress: () => string | undefined;
};

/** Whether the app listens where it was told to. When it does not, one line says what to do. */
export function expectListening({ port, program, command, findAddress }: Expected): {
  readonly isThere: () => boolean;
  readonly stop: () => void;
} {
  let isThere = false;
  const over = new AbortController();
  const timer = setTimeout(() => {
    const found = findAddress() ?? 'http://localhost:<port>';
    complain(
      `nothing listens at port ${port}, which the app was given as PORT. An app that chooses its port itself is started with ` +
        `${program} run --to ${found} -- ${command.join(' ')}`,
    );
  }, patienceMs);

  async function look(): Promise<void> {
    await waitForPort(port, over.signal);
    isThere = true;
    clearTimeout(timer);
  }

  void look();
  return {
    isThere: () => isThere,
    stop() {
      clearTimeout(timer);
      over.abort();
    },
  };
}

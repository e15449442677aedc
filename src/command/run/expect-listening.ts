import { waitForPort } from '../ports.ts';
import { complain } from '../usage.ts';

/** Larger apps take this long to start in development. */
export const patienceMs = 15_000;

type Expected = {
  /** On this machine. */
  readonly port: number;
  /** What to say when nothing listens there for so long. */
  readonly explain: () => string;
  /** Called once, when something does. */
  readonly onThere: () => void;
};

/** Whether the app listens where it was told to. When it does not, one line says what to do. @returns what ends it */
export function expectListening({ port, explain, onThere }: Expected): () => void {
  const over = new AbortController();
  const timer = setTimeout(() => complain(explain()), patienceMs);

  async function look(): Promise<void> {
    await waitForPort(port, over.signal);
    clearTimeout(timer);
    onThere();
  }

  void look();
  return () => {
    clearTimeout(timer);
    over.abort();
  };
}

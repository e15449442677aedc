/**
 * One experiment, as the virtual module `virtual:flight-recorder/experiments` lists it. ../vite.ts makes the list from the files;
 * docs/lab.md says what a file looks like.
 */
export type Experiment = ExperimentFacts & (WorkingExperiment | BrokenExperiment);

type ExperimentFacts = {
  /** Of the file, without its ending; where that is no address, or taken, one like it. Its page is `/lab/<name>`. */
  readonly name: string;
  /** From the project's folder, such as `src/lab/slow.tsx`; of a folder elsewhere, from that one: `playground/slow.tsx`. */
  readonly file: string;
  /** The first line of the doc comment. The name where there is none: see `isUntitled`. */
  readonly title: string;
  readonly isUntitled: boolean;
  /** What it does. May be empty. */
  readonly happens: string;
  /** May be empty. */
  readonly lookFor: string;
  /** `export const group = '…'`, else that of its folder. */
  readonly group: string;
  /** Its place in the group: `export const order = 1`. Those without one come last. */
  readonly order: number;
  /** Its own file, then those that it imports from its folder, and its further pages. */
  readonly sources: readonly ExperimentSource[];
};

export type ExperimentSource = { readonly file: string; readonly source: string };

type WorkingExperiment = {
  readonly status: 'working';
  /** In dev: what is wrong with the file as it is now. What works is the last good one. */
  readonly problem?: ExperimentProblem;
  /** `export const render = 'static'`: made at build time. */
  readonly render: 'dynamic' | 'static';
  /** `export const fails = true`: its page is not shown, or only in part. So the list says what a reader needs to know. */
  readonly fails: boolean;
  /** Imports its file. Rejects when the file, or one that it imports, cannot be evaluated. */
  readonly load: () => Promise<unknown>;
  /** Its further pages: `<name>/pages/done.tsx` is `done.tsx` here, and `/lab/<name>/done`. Each is a page file of Waku's. */
  readonly pages: Readonly<Record<string, () => Promise<unknown>>>;
};

/** Its page says what is wrong, and it does not break the others. Title and texts are those of its last good version, in dev. */
type BrokenExperiment = { readonly status: 'broken'; readonly problem: ExperimentProblem };

export type ExperimentProblem =
  | { readonly kind: 'syntax'; readonly file: string; readonly message: string; readonly line: number }
  | { readonly kind: 'no-default' }
  | { readonly kind: 'use-client' }
  | { readonly kind: 'bad-export'; readonly name: string; readonly expected: string }
  /** `rename`: to what, so that it works. */
  | { readonly kind: 'bad-name'; readonly file: string; readonly rename: string }
  | { readonly kind: 'name-taken'; readonly file: string; readonly by: string; readonly rename: string };

/** What the component of an experiment is given. In a static one the query is empty. */
export type ExperimentProps = { readonly query: URLSearchParams };

/** For a person, one or two sentences. */
export function describeProblem(problem: ExperimentProblem): string {
  switch (problem.kind) {
    case 'syntax':
      return `${problem.file} cannot be read. Line ${problem.line}: ${problem.message}`;
    case 'no-default':
      return 'The file has no default export. Write ‘export default’ before its server component.';
    case 'use-client':
      return 'The file begins with ‘use client’. Its default export is a server component; client components go into a file beside it.';
    case 'bad-export':
      return `The export ‘${problem.name}’ should be written as ${problem.expected}.`;
    case 'bad-name':
      return (
        `The name of ${problem.file} is part of an address: letters, digits and hyphens, and not ‘index’, ‘about’ or ‘flaky’. ` +
        `Rename the file, for example to ‘${problem.rename}’.`
      );
    case 'name-taken':
      return `${problem.by} has this name already. Rename ${problem.file}, for example to ‘${problem.rename}’.`;
  }
}

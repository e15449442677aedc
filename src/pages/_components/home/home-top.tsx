import type { ReactNode } from 'react';

/** What stands first: the search. While nothing is recorded, what all of this is for comes before it. */
export function HomeTop({ isEmpty, children }: { isEmpty: boolean; children: ReactNode }) {
  if (!isEmpty) {
    return (
      <div>
        <h1 className="sr-only">The newest faults and flights</h1>
        {children}
      </div>
    );
  }
  return (
    <div className="stack-5">
      <div className="stack-2">
        <h1>Why did that page break?</h1>
        <p className="text-[1.0625rem]">
          Flight Recorder keeps what React Server Components apps send and what breaks in them, and turns the digest on
          an error page into its cause.
        </p>
      </div>
      {children}
    </div>
  );
}

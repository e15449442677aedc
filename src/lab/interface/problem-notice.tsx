import type { ReactNode } from 'react';

/** Shows why an experiment is not shown. It is no error of the server: whoever wrote the file repairs it. */
export function ProblemNotice({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="[overflow-wrap:anywhere]">
      <strong className="font-medium">This experiment cannot be shown.</strong> {children}
    </p>
  );
}

import { useId, type ReactNode } from 'react';

type PanelProps = {
  readonly title: string;
  /** Beside the title, for a count or a control. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
};

/** A part of a page with a title. The title is an `h2`: the page itself has the only `h1`. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 border-b border-line px-4 py-1.5">
        <h2 id={id} className="text-[0.9375rem]">
          {title}
        </h2>
        {aside}
      </div>
      <div className="stack-3 px-4 py-3.5">{children}</div>
    </section>
  );
}

const titles: Readonly<Record<string, string>> = {
  'navigation-or-prefetch': 'Nothing says whether somebody clicked, or the browser fetched the page ahead of a click',
};

/** `navigation-or-prefetch` as a person reads it. */
export function nameKind(kind: string): string {
  return kind.replaceAll('-', ' ');
}

/** The kind of a request, in that kind's colour. An unknown kind is shown without a colour. */
export function KindBadge({ kind }: { kind: string }) {
  return (
    <span className="badge" data-kind={kind} title={titles[kind]}>
      {nameKind(kind)}
    </span>
  );
}

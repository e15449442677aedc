/** The kind of a request, in that kind's colour. An unknown kind is shown without a colour. */
export function KindBadge({ kind }: { kind: string }) {
  return (
    <span className="badge" data-kind={kind}>
      {kind}
    </span>
  );
}

/** What kind of request something belongs to, in that kind's colour. An unknown kind is shown, in no colour. */
export function KindBadge({ kind }: { kind: string }) {
  return (
    <span className="badge" data-kind={kind}>
      {kind}
    </span>
  );
}

type Notice = { readonly text: string; readonly isProblem: boolean };

/** What came of a form. The element is there before its text, so that the text is announced. */
export function FormNotice({ notice }: { notice: Notice | undefined }) {
  return (
    <p role="status" className={notice?.isProblem ? 'font-medium text-error' : 'text-sm text-quiet'}>
      {notice?.text}
    </p>
  );
}

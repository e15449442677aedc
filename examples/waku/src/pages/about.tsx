export default function AboutPage() {
  return (
    <>
      <h1>About</h1>
      <p>
        An app of Waku&apos;s with Flight Recorder in it. The recorder shows what each page sent, and why one failed.
      </p>
    </>
  );
}

export const getConfig = () => ({ render: 'static' }) as const;

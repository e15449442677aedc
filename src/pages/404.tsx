import { LookUpForm } from '#src/components/look-up-form.tsx';
import { homePath } from '#src/http/addresses.ts';
import { Panel } from '#src/components/panel.tsx';

export default function NotFoundPage() {
  return (
    <div className="stack-6 max-w-3xl">
      <title>Not found · Flight Recorder</title>
      <div className="stack-2">
        <h1>Not found</h1>
        <p>
          There is no page at this address. The address is wrong, or the page is gone. The{' '}
          <a href={homePath}>home page</a> lists the latest errors.
        </p>
      </div>
      <Panel title="Were you looking for a digest?">
        <p>No error is stored under it. There are two possible reasons:</p>
        <ul>
          <li>
            The code was misread. It looks like 3F7K2-M9QRT, ten letters and digits without a U; of a Next.js app like
            2338734591.
          </li>
          <li>The error is too old. Errors are kept for a limited time, and the oldest are deleted first.</li>
        </ul>
        <LookUpForm />
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}

import { homePath } from '#src/server/http/addresses.ts';
import { Panel } from '#viewer/panel.tsx';
import { SearchForm } from '#src/ui/search-form.tsx';

export default function NotFoundPage() {
  return (
    <div className="stack-6 max-w-3xl">
      <title>Not found · Flight Recorder</title>
      <div className="stack-2">
        <h1>Not found</h1>
        <p>
          Nothing is stored at this address: no page, no fault, no error and no digest. It is misspelt, or what it led
          to is gone. The <a href={homePath}>home page</a> lists the latest errors.
        </p>
      </div>
      <Panel title="Search for it">
        <p>By a digest, the id of an event, a trace or a fault, or by words. Where nothing is found:</p>
        <ul>
          <li>
            A digest may be misread. It looks like 3F7K2-M9QRT, ten letters and digits without a U; of a Next.js app
            like 2338734591.
          </li>
          <li>It may be too old. Errors are kept for a limited time, and the oldest are deleted first.</li>
        </ul>
        <SearchForm />
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}

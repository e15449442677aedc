/**
 * Server actions
 *
 * Forms and buttons call every kind of server action.
 *
 * Look for: Each is a POST to this page’s own address, and the forms work without JavaScript too.
 */
import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { CounterForm } from './actions/counter-form.tsx';
import { raise, readCounter } from './actions/counter.ts';
import { NicknameForm } from './actions/nickname-form.tsx';
import { PlainCall } from './actions/plain-call.tsx';
import { raiseCounterSlowly } from './actions/raise-counter-slowly.ts';
import { raiseCounter } from './actions/raise-counter.ts';
import { Together } from './actions/together.tsx';
import { UploadForm } from './actions/upload-form.tsx';
import { visitDonePage } from './actions/visit-done-page.ts';
import { readVisitorKey } from './actions/visitor-key.ts';

export const group = 'Server actions';
export const order = 1;

export default function ActionsPage({ query }: { query: URLSearchParams }) {
  const key = readVisitorKey(query);
  const { count, raisedBy } = readCounter(key);
  const captured = `closure-canary-${key}`;

  async function raiseFromClosure() {
    'use server';
    raise(key, 10, captured);
    rerenderRoute();
  }

  return (
    <>
      <p>
        Counter: <output data-testid="counter">{count}</output>, last raised by{' '}
        <output data-testid="raised-by">{raisedBy}</output>.
      </p>

      <h2>Return value</h2>
      <p>A button calls an action as a function and shows what it returns.</p>
      <PlainCall />

      <h2>State of a form</h2>
      <p>A form whose state is the last answer; it counts its own attempts, also when submitted before hydration.</p>
      <NicknameForm />

      <h2>Upload</h2>
      <p>A file of up to 1 MiB is measured on the server and not kept.</p>
      <UploadForm />

      <h2>Bound argument and revalidation</h2>
      <p>The amount is bound to the action, and the answer carries this page rendered again.</p>
      <CounterForm action={raiseCounter.bind(null, key, 5)} label="Raise by 5" />

      <h2>Closure</h2>
      <p>The action is written inside the page and captures a value, which the browser only holds encrypted.</p>
      <CounterForm action={raiseFromClosure} label="Raise by 10" />

      <h2>Redirect</h2>
      <p>The action sends its visitor to another page.</p>
      <CounterForm action={visitDonePage.bind(null, key)} label="Go to the other page" />

      <h2>Three at once</h2>
      <p>Each of three calls waits on the server until all three are there.</p>
      <Together visitorKey={key} />

      <h2>Leaving meanwhile</h2>
      <p>
        This action takes a moment;{' '}
        <Link to={`${experimentPath('actions', 'done')}?key=${key}`} prefetch="never">
          leave the page
        </Link>{' '}
        and it still counts.
      </p>
      <CounterForm action={raiseCounterSlowly.bind(null, key)} label="Raise slowly" />
    </>
  );
}

import { Link } from 'flight-recorder/waku';

import { ThrowOnClick } from '../../components/throw-on-click';
import { failToSave } from '../../guest-book/fail-to-save';

/** `prefetch="never"`: a page that fails should fail when somebody asks for it. */
export default function BrokenPages() {
  return (
    <>
      <h1>Broken pages</h1>
      <p>Each fails in another place. Take the digest from the error page to the recorder, and see the cause.</p>
      <ul>
        <li>
          <Link to="/broken/on-the-server" prefetch="never">
            A server component throws
          </Link>
        </li>
        <li>
          <Link to="/broken/later" prefetch="never">
            A part fails that came later
          </Link>
        </li>
        <li>
          <a href="/broken/in-html">A client component throws while the server makes HTML</a>
        </li>
        <li>
          <ThrowOnClick />
        </li>
        <li>
          <form action={failToSave}>
            <button>An action throws</button>
          </form>
        </li>
        <li>
          <a href="/no-such-page">A page that does not exist</a>
        </li>
      </ul>
    </>
  );
}

export const getConfig = () => ({ render: 'dynamic' }) as const;

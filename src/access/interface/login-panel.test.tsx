import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { LoginPanel } from './login-panel.tsx';

const usual = { next: '/', failure: undefined, takesPassword: true, isSignedIn: false, hasSessionEnded: false };
const away = 'The database does not answer right now.';

it('says that nobody can sign in while the database does not answer', () => {
  expect(renderToStaticMarkup(<LoginPanel {...usual} isDatabaseAway />)).toContain(away);
  expect(renderToStaticMarkup(<LoginPanel {...usual} isDatabaseAway={false} />)).not.toContain(away);
});

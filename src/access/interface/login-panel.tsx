import { Panel } from '#viewer/panel.tsx';
import { homePath } from '#src/server/http/addresses.ts';
import type { LoginFailure } from '#src/access/login-problems.ts';
import { operatorCommand } from '#src/access/operator-command.ts';

import { LoginForms } from './login-forms.tsx';

type LoginPanelProps = {
  /** Where to go afterwards: a path of this app. */
  readonly next: string;
  readonly failure: LoginFailure | undefined;
  readonly takesPassword: boolean;
  readonly isDatabaseAway: boolean;
  readonly isSignedIn: boolean;
  readonly hasSessionEnded: boolean;
};

/** Everything that a stranger sees of this app. */
export function LoginPanel(props: LoginPanelProps) {
  const { next, failure, takesPassword, isDatabaseAway, isSignedIn, hasSessionEnded } = props;
  return (
    <div className="login-page stack-5 mx-auto max-w-xl">
      <h1>Sign in</h1>
      {isDatabaseAway ? (
        <p role="alert" className="font-medium text-error">
          The database does not answer right now. Nobody can sign in until it does.
        </p>
      ) : null}
      {isSignedIn ? (
        <p>
          This browser is signed in already. <a href={next}>Go on</a>
        </p>
      ) : null}
      {hasSessionEnded ? (
        <p>
          Your session has ended: it was signed out elsewhere, not used for 12 hours, or is older than 14 days. Sign in
          again{next === homePath ? '' : ', and you are back where you were'}.
        </p>
      ) : null}
      <LoginForms next={next} failure={failure} takesPassword={takesPassword} />
      <Panel title="Where do I get a login link?">
        <p>On the machine where this app runs, in the app’s folder:</p>
        <pre>
          <code>{operatorCommand('login-link')}</code>
        </pre>
        <p>
          It prints an address that signs you in. Open it here, within 15 minutes; it works once. When the app was
          started on your own machine, its terminal shows one too.
        </p>
      </Panel>
    </div>
  );
}

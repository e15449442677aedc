import 'server-only';

import { addAlertChannel } from '#src/actions/add-alert-channel.ts';
import type { FormOutcome } from '#src/alerts/form-outcome.ts';
import { targetField } from '#src/alerts/parse-channel-form.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';

type Refused = Extract<FormOutcome, { readonly type: 'refused' }>;

const problems: Readonly<Record<Refused['problem'], string>> = {
  name: 'A name has one to 80 characters.',
  kind: 'Choose what kind of channel it is.',
  url: 'A webhook’s address begins with https:// or http://, and has at most 2,000 characters.',
  'url-with-password': 'The address must not hold a name and a password before an @.',
  inside:
    'That address is inside this server’s own network. Tick “The hook is in this server’s own network” if it is meant.',
  email: 'That is no e-mail address. One channel has one address.',
  volume: 'A number of occurrences is at least 1.',
  nothing: 'Choose at least one thing to be told.',
  'no-apps': 'Choose at least one app.',
  same: 'There is a channel of this name and address already.',
  'too-many': 'There are 20 channels. Remove one first.',
  'no-mail': 'This server sends no e-mail: SMTP_URL and ALERT_FROM are not set.',
};

/** What was typed, where the form was refused; else what is usual. */
function readTyped(refused: Refused | undefined) {
  function text(name: string, usual = ''): string {
    const value = refused ? refused.typed.get(name) : usual;
    return typeof value === 'string' ? value : '';
  }
  function isOn(name: string, usual: boolean): boolean {
    return refused ? refused.typed.get(name) === 'on' : usual;
  }
  return { text, isOn, apps: refused?.typed.getAll('app') ?? [] };
}

type Typed = ReturnType<typeof readTyped>;

const kinds = [
  ['webhook', 'Webhook, signed, with the recorder’s own JSON'],
  ['slack', 'Chat with a hook of Slack’s shape: Slack, Mattermost, Discord (its address with /slack)'],
  ['email', 'E-mail'],
] as const;

function Target({ typed, canMail }: { typed: Typed; canMail: boolean }) {
  return (
    <>
      <fieldset className="stack-1.5">
        <legend>Kind</legend>
        {kinds.map(([kind, words]) => (
          <label key={kind} className="flex items-baseline gap-2">
            <input
              type="radio"
              name="kind"
              value={kind}
              defaultChecked={typed.text('kind', 'webhook') === kind}
              disabled={kind === 'email' && !canMail}
            />
            <span>
              {words}
              {kind === 'email' && !canMail ? (
                <span className="text-quiet">
                  {' '}
                  (set <code>SMTP_URL</code> and <code>ALERT_FROM</code> and restart the server)
                </span>
              ) : null}
            </span>
          </label>
        ))}
      </fieldset>
      <label className="grid max-w-xl gap-1">
        Address: the hook’s, or of e-mail
        <input
          name={targetField}
          required
          defaultValue={typed.text(targetField)}
          placeholder="https://hooks.example.com/…"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="h-11"
        />
      </label>
      <label className="flex items-baseline gap-2">
        <input type="checkbox" name="inside" defaultChecked={typed.isOn('inside', false)} />
        <span>
          The hook is in this server’s own network{' '}
          <span className="text-quiet">(otherwise addresses inside are refused)</span>
        </span>
      </label>
    </>
  );
}

function Told({ typed }: { typed: Typed }) {
  return (
    <fieldset className="stack-1.5">
      <legend>Tell</legend>
      <label className="flex items-baseline gap-2">
        <input type="checkbox" name="new" defaultChecked={typed.isOn('new', true)} />
        a new fault
      </label>
      <label className="flex items-baseline gap-2">
        <input type="checkbox" name="back" defaultChecked={typed.isOn('back', true)} />a fault that comes back, after it
        was resolved or snoozed
      </label>
      <label className="flex flex-wrap items-baseline gap-2">
        a fault with more occurrences in an hour than
        <input
          name="volume"
          inputMode="numeric"
          pattern="[0-9]*"
          defaultValue={typed.text('volume')}
          placeholder="never"
          autoComplete="off"
          className="w-28"
        />
      </label>
      <label className="flex items-baseline gap-2">
        <input type="checkbox" name="claims" defaultChecked={typed.isOn('claims', false)} />
        <span>
          also faults that only browsers reported{' '}
          <span className="text-quiet">(strangers can send such reports, and so such messages)</span>
        </span>
      </label>
    </fieldset>
  );
}

function Apps({ typed, apps }: { typed: Typed; apps: readonly AppName[] }) {
  if (apps.length < 2) return null;
  const some = typed.text('apps', 'all') === 'some';
  return (
    <fieldset className="stack-1.5">
      <legend>Of which apps</legend>
      <label className="flex items-baseline gap-2">
        <input type="radio" name="apps" value="all" defaultChecked={!some} />
        all, also those that are added later
      </label>
      <label className="flex items-baseline gap-2">
        <input type="radio" name="apps" value="some" defaultChecked={some} />
        only these:
      </label>
      <div className="flex flex-wrap gap-x-4 gap-y-1 pl-6">
        {apps.map(({ id, name }) => (
          <label key={id} className="flex items-baseline gap-2">
            <input type="checkbox" name="app" value={id} defaultChecked={typed.apps.includes(id)} />
            <span className="[overflow-wrap:anywhere]">{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

type AddChannelFormProps = {
  readonly apps: readonly AppName[];
  readonly canMail: boolean;
  readonly outcome: FormOutcome | undefined;
};

/** A plain form: it needs no JavaScript, and what was typed comes back when it is refused. */
export function AddChannelForm({ apps, canMail, outcome }: AddChannelFormProps) {
  const refused = outcome?.type === 'refused' ? outcome : undefined;
  const typed = readTyped(refused);
  return (
    <form action={addAlertChannel} className="stack-4" aria-label="Add a channel">
      <label className="grid max-w-xl gap-1">
        Name
        <input
          name="name"
          required
          maxLength={80}
          defaultValue={typed.text('name')}
          placeholder="On call"
          autoComplete="off"
          className="h-11"
        />
      </label>
      <Target typed={typed} canMail={canMail} />
      <Told typed={typed} />
      <Apps typed={typed} apps={apps} />
      <p role="alert" className="font-medium text-error">
        {refused ? problems[refused.problem] : null}
      </p>
      <button type="submit" className="button-primary h-11">
        Add
      </button>
    </form>
  );
}

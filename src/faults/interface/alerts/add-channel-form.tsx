import 'server-only';

import { addAlertChannel } from '#src/faults/actions/add-alert-channel.ts';
import type { FormOutcome } from '#src/faults/alerts/form-outcome.ts';
import type { ChannelKind } from '#src/faults/alerts/kinds/channel-kind.ts';
import { channelKinds } from '#src/faults/alerts/kinds/channel-kinds.ts';
import { targetField, usualAnswers } from '#src/faults/alerts/parse-channel-form.ts';
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
  volume: 'A number of errors is at least 1.',
  slow: 'A time is 1 to 86,400,000 milliseconds, a number of answers 1 to 10,000, and a route has at most 500 characters.',
  nothing: 'Choose at least one thing to be told.',
  'no-apps': 'Choose at least one app.',
  same: 'There is a channel of this name and address already.',
  'too-many': 'There are 20 channels. Remove one first.',
  'cannot-send': 'This server cannot send to such a channel: it says above what is missing.',
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

function Kind({ kind: { name, says, readLack }, isChosen }: { kind: ChannelKind; isChosen: boolean }) {
  const lack = readLack();
  return (
    <label className="flex items-baseline gap-2">
      <input type="radio" name="kind" value={name} defaultChecked={isChosen} disabled={lack !== undefined} />
      <span>
        {says}
        {lack === undefined ? null : <span className="text-quiet"> ({lack})</span>}
      </span>
    </label>
  );
}

function Target({ typed }: { typed: Typed }) {
  return (
    <>
      <fieldset className="stack-1.5">
        <legend>Kind</legend>
        {channelKinds.map((kind) => (
          <Kind key={kind.name} kind={kind} isChosen={typed.text('kind', channelKinds[0]?.name) === kind.name} />
        ))}
      </fieldset>
      <label className="grid max-w-xl gap-1">
        Address of the hook, or for e-mail
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

const numeric = { inputMode: 'numeric', pattern: '[0-9]*', autoComplete: 'off', className: 'w-28' } as const;

function Slow({ typed }: { typed: Typed }) {
  return (
    <div role="group" aria-label="Slow routes" className="flex flex-wrap items-baseline gap-2">
      <label className="flex flex-wrap items-baseline gap-2">
        a route of which more than 5 in 100 answers of the last hour took longer than
        <input
          {...numeric}
          name="slow"
          aria-label="Milliseconds"
          defaultValue={typed.text('slow')}
          placeholder="never"
        />
      </label>
      ms, of at least
      <input
        {...numeric}
        name="slow-answers"
        aria-label="Answers"
        defaultValue={typed.text('slow-answers')}
        placeholder={String(usualAnswers)}
      />
      answers;
      <label className="flex flex-wrap items-baseline gap-2">
        only the route
        <input
          name="slow-route"
          maxLength={500}
          defaultValue={typed.text('slow-route')}
          placeholder="any"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="w-48"
        />
      </label>
    </div>
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
        a fault with more errors in an hour than
        <input {...numeric} name="volume" defaultValue={typed.text('volume')} placeholder="never" />
      </label>
      <Slow typed={typed} />
      <label className="flex items-baseline gap-2">
        <input type="checkbox" name="untrusted" defaultChecked={typed.isOn('untrusted', false)} />
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
  readonly outcome: FormOutcome | undefined;
};

/** A plain form: it needs no JavaScript, and what was typed comes back when it is refused. */
export function AddChannelForm({ apps, outcome }: AddChannelFormProps) {
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
      <Target typed={typed} />
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

import 'server-only';

import { countOf, formatCount, formatDuration } from '#flight';
import { pauseAlertChannel } from '#src/faults/actions/pause-alert-channel.ts';
import { removeAlertChannel } from '#src/faults/actions/remove-alert-channel.ts';
import { testAlertChannel } from '#src/faults/actions/test-alert-channel.ts';
import type { ShownChannel } from '#src/faults/alerts/channels.ts';
import type { FormOutcome } from '#src/faults/alerts/form-outcome.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';

function describeSlow({ ms, answers, route }: NonNullable<ShownChannel['rules']['slow']>): string {
  const which = route === null ? 'routes' : `the route ${route}`;
  return `${which} where more than 5 of 100 answers took longer than ${formatDuration(ms)}, in an hour with ${formatCount(answers)} or more`;
}

function describeRules({ rules }: ShownChannel, apps: readonly AppName[]): string {
  const told = [
    ...(rules.new ? ['new faults'] : []),
    ...(rules.back ? ['faults that come back'] : []),
    ...(rules.volume === null ? [] : [`faults with more than ${formatCount(rules.volume)} errors in an hour`]),
    ...(rules.slow === null ? [] : [describeSlow(rules.slow)]),
  ];
  const names = rules.apps?.map((id) => apps.find((app) => app.id === id)?.name ?? `${id} (deleted)`);
  const whose = names === undefined ? 'of all apps' : `of ${names.join(', ')}`;
  const untrusted = rules.untrusted ? '; also what only browsers reported' : '';
  return `Is told ${told.join(', ')}, ${whose}${untrusted}.`;
}

function Note({ outcome }: { outcome: Extract<FormOutcome, { readonly type: 'tested' }> | undefined }) {
  if (!outcome) return <p role="status" />;
  const { isSent, answer } = outcome.sent;
  return (
    <p role="status" className={isSent ? 'text-sm' : 'font-medium text-error'}>
      {isSent ? 'The test was taken' : 'The test was not taken'}: <span className="code">{answer}</span>
    </p>
  );
}

type ChannelProps = {
  readonly channel: ShownChannel;
  readonly apps: readonly AppName[];
  readonly outcome: FormOutcome | undefined;
};

function ChannelItem({ channel, apps, outcome }: ChannelProps) {
  const { id, name, label, target, isSigned, paused, waiting } = channel;
  const isPaused = paused !== undefined;
  return (
    <li className="stack-2">
      <h3 className="[overflow-wrap:anywhere]">
        {name} {isPaused ? <span className="text-quiet">paused</span> : null}
      </h3>
      <p className="text-sm [overflow-wrap:anywhere]">
        {label}: <span className="code">{target}</span>
        {isSigned ? ', signed' : ''}
        {channel.rules.inside ? ', may reach addresses inside' : ''}
      </p>
      <p className="text-sm text-quiet">{describeRules(channel, apps)}</p>
      {waiting > 0 ? <p className="text-sm">{countOf(waiting, 'message')} wait to be sent.</p> : null}
      <div className="flex flex-wrap items-start gap-2">
        <form action={testAlertChannel}>
          <input type="hidden" name="id" value={id} />
          <button className="button-small" aria-label={`Send a test to ${name}`}>
            Send a test
          </button>
        </form>
        <form action={pauseAlertChannel}>
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="paused" value={isPaused ? 'no' : 'yes'} />
          <button className="button-small" aria-label={`${isPaused ? 'Resume' : 'Pause'} ${name}`}>
            {isPaused ? 'Resume' : 'Pause'}
          </button>
        </form>
        <details>
          <summary className="text-sm">Remove</summary>
          <form action={removeAlertChannel} className="stack-2 pt-2">
            <input type="hidden" name="id" value={id} />
            <p className="text-sm">Its messages are deleted from the log, and what waits is not sent.</p>
            <button className="button-small" aria-label={`Remove ${name}`}>
              Remove this channel
            </button>
          </form>
        </details>
      </div>
      <Note outcome={outcome?.type === 'tested' && outcome.channel === id ? outcome : undefined} />
    </li>
  );
}

type ChannelListProps = {
  readonly channels: readonly ShownChannel[];
  readonly apps: readonly AppName[];
  readonly outcome: FormOutcome | undefined;
};

export function ChannelList({ channels, apps, outcome }: ChannelListProps) {
  return (
    <ul aria-label="Channels" className="grid gap-6">
      {channels.map((channel) => (
        <ChannelItem key={channel.id} channel={channel} apps={apps} outcome={outcome} />
      ))}
    </ul>
  );
}

import 'server-only';

import { countOf } from '#flight';
import { alertsPath, faultPath, faultsPath } from '#src/http/addresses.ts';

import { countSummed, type AlertContent, type Summed } from './message.ts';

/** The words of a message that several shapes share. */
export type AlertWords = {
  /** What happened, in our words alone. */
  readonly title: string;
  /** What senders said: somebody else's text. */
  readonly claim: string | undefined;
  /** The values are somebody else's text, too. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** In our words alone. */
  readonly notes: readonly string[];
  readonly link: { readonly text: string; readonly url: string };
};

type FaultAlert = Extract<AlertContent, { readonly type: 'fault' }>;

function titleOf({ reason, inHour }: FaultAlert): string {
  switch (reason) {
    case 'new':
      return 'New fault';
    case 'regressed':
      return 'A resolved fault came back';
    case 'woke':
      return 'A snoozed fault is back';
    case 'volume':
      return inHour === null ? 'A fault occurs often' : `A fault occurred ${countOf(inHour, 'time')} within an hour`;
  }
}

function listFacts({ fault, more }: FaultAlert): AlertWords['facts'] {
  const { appName, count, claims, users, level, environment, release, digest } = fault;
  const seen = [
    ...(count > 0 ? [countOf(count, 'occurrence')] : []),
    ...(claims > 0 ? [`${countOf(claims, 'report')} of browsers`] : []),
    ...(users > 0 ? [countOf(users, 'user')] : []),
  ].join(', ');
  return [
    { name: 'App', value: appName },
    { name: 'Level', value: level },
    ...(environment === '' ? [] : [{ name: 'Environment', value: environment }]),
    { name: 'Seen', value: more !== null && more > 0 ? `${seen}: ${more} more since the last message` : seen },
    ...(release === '' ? [] : [{ name: 'Release', value: release }]),
    ...(digest === null ? [] : [{ name: 'Digest', value: digest }]),
  ];
}

function titleOfSummary(faults: Summed): string {
  const total = countSummed(faults);
  const others = total - faults.new;
  if (others === 0) return `${total} more new ${total === 1 ? 'fault' : 'faults'}`;
  const parts = [
    [faults.new, 'new'],
    [faults.regressed, 'came back after they were resolved'],
    [faults.woke, 'came back after a snooze'],
    [faults.volume, 'occur often'],
  ] as const;
  const said = parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ');
  return `${countOf(total, 'more fault')}: ${said}`;
}

/** @param origin the address at which people reach this server */
export function describeAlert(content: AlertContent, origin: string): AlertWords {
  switch (content.type) {
    case 'fault': {
      const { id, name, message, culprit } = content.fault;
      const where = culprit === '' ? '' : ` (${culprit})`;
      return {
        title: titleOf(content),
        claim: `${name}: ${message}${where}`,
        facts: listFacts(content),
        notes: content.fault.side === 'browser' ? ['Only browsers reported it: anybody can send such a report.'] : [],
        link: { text: 'Open the fault', url: origin + faultPath(id) },
      };
    }
    case 'summary':
      return {
        title: titleOfSummary(content.faults),
        claim: undefined,
        facts: [],
        notes: ['They were too many at once to be told one by one.'],
        link: { text: 'Open the list of faults', url: origin + faultsPath },
      };
    case 'test':
      return {
        title: 'A test of Flight Recorder',
        claim: undefined,
        facts: [],
        notes: ['Somebody pressed “Send a test” for this channel. Nothing is broken.'],
        link: { text: 'Open the alerts', url: origin + alertsPath },
      };
  }
}

import { describe, expect, it } from 'vitest';

import { describeAlert } from './describe-alert.ts';
import { formatEmail } from './kinds/format-email.ts';
import { formatSlack, slack } from './kinds/slack.ts';
import { boundFault, readContent, type AlertContent, type FaultContent } from './message.ts';
import { isInside } from './inside-addresses.ts';
import { parseChannelForm, targetField } from './parse-channel-form.ts';

const fault: FaultContent = {
  id: 'f1',
  app: 'shop',
  appName: 'Shop',
  side: 'server',
  name: 'TypeError',
  message: 'no basket',
  culprit: '',
  level: 'error',
  environment: '',
  page: '',
  release: '',
  digest: null,
  count: 1,
  untrusted: 0,
  users: 0,
  firstTime: 1_000,
  lastTime: 2_000,
};

function contentOf(parts: Partial<FaultContent> = {}, more: number | null = null): AlertContent {
  return { type: 'fault', reason: 'new', time: 2_000, fault: boundFault({ ...fault, ...parts }), more, inHour: null };
}

function slackText(content: AlertContent): string {
  const { text }: { text: string } = JSON.parse(formatSlack(content, 'https://flight.example'));
  return text;
}

describe("Slack's shape", () => {
  it('says what happened and where it is seen', () => {
    expect(
      slackText(
        contentOf({ count: 241, level: 'fatal', environment: 'production', page: '/cart/[id]', release: 'r1' }, 240),
      ),
    ).toBe(
      [
        '*New fault*',
        '`TypeError: no basket`',
        'App: `Shop`',
        'Page: `/cart/[id]`',
        'Level: `fatal`',
        'Environment: `production`',
        'Seen: `241 errors: 240 more since the last message`',
        'Release: `r1`',
        '<https://flight.example/faults/f1|Open the fault>',
      ].join('\n'),
    );
  });

  it('keeps texts from calling everybody, from being links and from leaving their quotes', () => {
    const text = slackText(
      contentOf({ message: '<!channel> <https://evil.example|open> `*bold*` &lt;!here&gt;', release: '`<!everyone>`' }),
    );
    expect(text).not.toContain('<!');
    expect(text).not.toContain('<https://evil');
    expect(text).toContain(
      "`TypeError: &lt;!channel&gt; &lt;https://evil.example|open&gt; '*bold*' &amp;lt;!here&amp;gt;`",
    );
    expect(text).toContain("Release: `'&lt;!everyone&gt;'`");
  });
});

it('a text is cut and stands on one line, whatever it holds', () => {
  const bound = boundFault({ ...fault, message: `a\r\n\tb \u001b[31m \u202e${'x'.repeat(10_000)}` });
  expect(bound.message).toHaveLength(500);
  expect(bound.message.startsWith(String.raw`a b \u001b[31m \u202exxx`)).toBe(true);
});

it.each([
  [{ new: 37, regressed: 0, woke: 0, volume: 0 }, '37 more new faults'],
  [{ new: 1, regressed: 0, woke: 0, volume: 0 }, '1 more new fault'],
  [
    { new: 2, regressed: 3, woke: 1, volume: 4 },
    '10 more faults: 2 new, 3 came back after they were resolved, 1 came back after a snooze, 4 occur often',
  ],
])('a summary of %o reads well', (faults, title) => {
  const summed = { ...faults, first: [] };
  expect(describeAlert({ type: 'summary', time: 1, faults: summed, named: [] }, '').title).toBe(title);
});

function summaryOf(count: number, named: readonly Partial<FaultContent>[]): AlertContent {
  const faults = { new: count, regressed: 0, woke: 0, volume: 0, first: [] };
  return { type: 'summary', time: 1, faults, named: named.map((parts) => boundFault({ ...fault, ...parts })) };
}

describe('a summary', () => {
  it('of one fault names it, and leads to it', () => {
    const content = summaryOf(1, [{ culprit: 'src/cart.ts · addItem' }]);
    expect(slackText(content)).toBe(
      [
        '*1 more new fault*',
        '`TypeError: no basket (src/cart.ts · addItem)`',
        'App: `Shop`',
        'It came with others, too many at once to be told one by one.',
        '<https://flight.example/faults/f1|Open the fault>',
      ].join('\n'),
    );
    expect(formatEmail(content, '').subject).toBe(
      '[Flight Recorder] 1 more new fault: TypeError: no basket (src/cart.ts · addItem)',
    );
  });

  it('of several names the first, and says how many others there are', () => {
    const content = summaryOf(37, [
      {},
      { id: 'f2', name: 'Error', message: '<!channel> `x`', appName: '<!here>' },
      { id: 'f3', side: 'browser', message: 'no page' },
    ]);
    expect(slackText(content)).toBe(
      [
        '*37 more new faults*',
        'Fault: `TypeError: no basket, in Shop`',
        "Fault: `Error: &lt;!channel&gt; 'x', in &lt;!here&gt;`",
        'Reported by browsers: `TypeError: no page, in Shop`',
        'And 34 others.',
        'They were too many at once to be told one by one.',
        '<https://flight.example/faults|Open the list of faults>',
      ].join('\n'),
    );
  });

  it('of faults that are gone by now, or of an earlier version, is their number', () => {
    expect(slackText(summaryOf(2, [])).split('\n')).toHaveLength(3);
    const stored = { type: 'summary', time: 1, faults: { new: 2 } };
    expect(readContent(JSON.stringify(stored))).toMatchObject({ named: [], faults: { new: 2, first: [] } });
  });
});

it('says of an untrusted error that it is one', () => {
  const { notes, facts } = describeAlert(contentOf({ side: 'browser', count: 0, untrusted: 2 }), '');
  expect(notes).toEqual(['Only browsers reported it: anybody can send such a report.']);
  expect(facts).toContainEqual({ name: 'Seen', value: '2 errors of browsers' });
});

it.each([
  ['https://hooks.slack.com/services/T1/B1/abcdefgh', 'https://hooks.slack.com/…efgh'],
  ['https://example.com/a?token=secret-1234', 'https://example.com/…1234'],
  ['https://example.com/short', 'https://example.com/…'],
  ['https://example.com:8443/', 'https://example.com:8443/…'],
])('%s is shown as %s', (target, shown) => {
  expect(slack.describeTarget(target)).toBe(shown);
});

it('knows addresses inside', () => {
  const insides = [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
  ];
  const inside6 = [
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '::127.0.0.1',
    '::7f00:1',
    'fec0::1',
    '64:ff9b:1::a00:1',
    '::ffff:0:10.0.0.1',
    '2001:0:a00:1::1',
    'not an address',
  ];
  for (const address of [...insides, ...inside6]) expect(isInside(address), address).toBe(true);
  for (const address of ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2001:4860::1', '::ffff:1.1.1.1']) {
    expect(isInside(address), address).toBe(false);
  }
});

describe('the form', () => {
  const usual = { name: 'On call', kind: 'webhook', [targetField]: 'https://example.com/hook', new: 'on' };
  function parse(fields: Record<string, string | readonly string[]>) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...usual, ...fields })) {
      for (const one of typeof value === 'string' ? [value] : value) form.append(name, one);
    }
    return parseChannelForm(form, ['flight-recorder', 'shop']);
  }

  it('becomes a channel', () => {
    expect(parse({ volume: '100', apps: 'some', app: ['shop', 'another'], untrusted: 'on' })).toEqual({
      name: 'On call',
      kind: 'webhook',
      target: 'https://example.com/hook',
      rules: { new: true, back: false, volume: 100, slow: null, apps: ['shop'], untrusted: true, inside: false },
    });
    expect(parse({ new: 'off', slow: '800' })).toMatchObject({
      rules: { slow: { ms: 800, answers: 20, route: null } },
    });
    expect(parse({ slow: '800', 'slow-answers': '5', 'slow-route': ' /cart ' })).toMatchObject({
      rules: { slow: { ms: 800, answers: 5, route: '/cart' } },
    });
    expect(parse({ 'slow-answers': '5', 'slow-route': '/cart' })).toMatchObject({ rules: { slow: null } });
    expect(parse({ kind: 'email', [targetField]: 'ops@example.com' })).toMatchObject({ target: 'ops@example.com' });
    expect(parse({ [targetField]: 'http://127.0.0.1:4399/hook', inside: 'on' })).toMatchObject({
      target: 'http://127.0.0.1:4399/hook',
      rules: { inside: true },
    });
    expect(parse({ [targetField]: 'https://notlocalhost/hook' })).toMatchObject({ rules: { inside: false } });
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(81) }, 'name'],
    [{ kind: 'pigeon' }, 'kind'],
    [{ [targetField]: 'ftp://example.com/' }, 'url'],
    [{ [targetField]: 'javascript:alert(1)' }, 'url'],
    [{ [targetField]: `https://example.com/${'x'.repeat(2_000)}` }, 'url'],
    [{ [targetField]: 'https://user:password@example.com/' }, 'url-with-password'],
    [{ [targetField]: 'http://127.0.0.1:4399/hook' }, 'inside'],
    [{ [targetField]: 'http://127.1/hook' }, 'inside'],
    [{ [targetField]: 'https://[::1]/hook' }, 'inside'],
    [{ [targetField]: 'http://LOCALHOST:4399/hook' }, 'inside'],
    [{ kind: 'slack', [targetField]: 'http://hooks.localhost/' }, 'inside'],
    [{ kind: 'email', [targetField]: 'ops@example.com, all@example.com' }, 'email'],
    [{ kind: 'email', [targetField]: 'ops@example.com\r\nBcc: all@example.com' }, 'email'],
    [{ volume: '0' }, 'volume'],
    [{ volume: 'many' }, 'volume'],
    [{ slow: '0' }, 'slow'],
    [{ slow: '0.5' }, 'slow'],
    [{ slow: '86400001' }, 'slow'],
    [{ slow: '800', 'slow-answers': '0' }, 'slow'],
    [{ slow: '800', 'slow-route': '/'.repeat(501) }, 'slow'],
    [{ new: 'off' }, 'nothing'],
    [{ apps: 'some' }, 'no-apps'],
    [{ apps: 'some', app: 'another' }, 'no-apps'],
  ])('with %o is refused: %s', (fields, problem) => {
    expect(parse(fields)).toBe(problem);
  });
});

import { describe, expect, it } from 'vitest';

import { describeControl } from '#flight';
import { isControlFlow, readDigestText, toSentDigest } from './control-flow.ts';
import { parseStack } from '../stack.ts';
import { describeThrown } from './describe-thrown.ts';
import { dropQueryValues, readFlightKind, readTraceId } from './request-facts.ts';

describe('describeThrown', () => {
  it('describes an error with its causes, also a circular chain', () => {
    const error = new TypeError('outer', { cause: new Error('inner') });
    expect(describeThrown(error)).toMatchObject({
      name: 'TypeError',
      message: 'outer',
      causes: [{ message: 'inner' }],
    });
    error.cause = error;
    expect(describeThrown(error).causes).toEqual([]);
    let deep = new Error('innermost');
    for (let at = 0; at < 9; at += 1) deep = new Error(`${at}`, { cause: deep });
    expect(describeThrown(deep).causes).toHaveLength(5);
  });

  it('describes what an AggregateError consists of, behind its cause and as it is printed', () => {
    const parts = [new Error('part A', { cause: new Error('of A') }), new TypeError('part B'), 'text'];
    const error = new AggregateError(parts, 'all failed', { cause: new Error('cause') });
    const { causes } = describeThrown(error);
    expect(causes.map(({ message }) => message)).toEqual(['cause', 'part A', 'of A', 'part B']);
    // A validation may call its texts so.
    expect(
      describeThrown(Object.assign(new Error('invalid'), { errors: ['too short', { path: 'a' }] })).causes,
    ).toEqual([]);
  });

  it('describes what is no error, or a broken one', () => {
    expect(describeThrown('text')).toEqual({ name: 'thrown string', message: 'text', stack: '', causes: [] });
    expect(describeThrown({ a: 1 }).message).toBe('{"a":1}');
    expect(describeThrown(undefined).name).toBe('thrown undefined');
    const hostile = new Error('x');
    Object.defineProperty(hostile, 'message', {
      get() {
        throw new Error('no');
      },
    });
    expect(describeThrown(hostile)).toMatchObject({ name: 'Error', message: '' });
    expect(describeThrown({ name: 'Error', message: 'of another realm', stack: 'Error: …' }).message).toBe(
      'of another realm',
    );
  });

  it('has the frames behind a message that is cut, and none of those that stand in it', () => {
    const said = `x\n    at innocent (/srv/innocent.js:7:1)\n${'y'.repeat(50_000)}`;
    const { stack, message } = describeThrown(new Error(`Cannot parse: ${said}`));
    expect(stack.length).toBeLessThan(2 * 16_384 + 300);
    const [first] = parseStack(stack, message);
    expect(first?.file).toContain('describe-thrown.test.ts');
    const changed = new Error(said);
    expect(changed.stack).toContain('innocent');
    changed.message = said.replace('x', 'z');
    const described = describeThrown(changed);
    expect(parseStack(described.stack, described.message)).toEqual([]);
  });

  it('is bounded, and without the colours of a terminal', () => {
    expect(describeThrown(new Error('x'.repeat(50_000))).message).toHaveLength(16_384);
    expect(describeThrown(new Error('\u001b[31mred\u001b[39m')).message).toBe('red');
  });
});

it('knows control flow, which is no failure, as the decoder does', () => {
  const digests = [
    'NEXT_REDIRECT;push;/x;307;',
    'NEXT_NOT_FOUND',
    'NEXT_HTTP_ERROR_FALLBACK;404',
    'NEXT_STATIC_GEN_BAILOUT',
    'NEXT_PRERENDER_INTERRUPTED',
    'DYNAMIC_SERVER_USAGE@E394',
    'BAILOUT_TO_CLIENT_SIDE_RENDERING',
    'HANGING_PROMISE_REJECTION',
    'REACT_ROUTER_ERROR:REDIRECT:{}',
    '__WAKU_CUSTOM_ERROR__;{"status":404}',
  ];
  for (const digest of digests) {
    expect(isControlFlow(Object.assign(new Error('x'), { digest }))).toBe(true);
    expect(describeControl(digest), digest).toBeDefined();
  }
  expect(isControlFlow(new Response())).toBe(true);
  expect(isControlFlow(new DOMException('x', 'AbortError'))).toBe(true);
  for (const digest of ['2338734591', '3F7K2M9QRT', '']) {
    expect(isControlFlow(Object.assign(new Error('x'), { digest }))).toBe(false);
    expect(describeControl(digest)).toBeUndefined();
  }
  expect(readDigestText({ digest: 5 })).toBe('5');
  expect(readDigestText({ digest: '' })).toBeUndefined();
  for (const digest of ['2338734591@E394', 'a b', 'x'.repeat(64)]) expect(toSentDigest(digest)).toBe(digest);
  for (const digest of ['', ' a', 'é', 'x'.repeat(65), undefined]) expect(toSentDigest(digest)).toBeUndefined();
});

it('tells no value of a query', () => {
  expect(dropQueryValues('/orders?id=7&draft&b=')).toBe('/orders?id&draft&b');
  expect(dropQueryValues('https://shop.test/a?token=x#y')).toBe('/a?token');
  expect(dropQueryValues('https://shop.test')).toBe('/');
  expect(dropQueryValues('/a?')).toBe('/a');
});

it('reads what a request was from its headers', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  expect(readTraceId({ traceparent: `00-${trace}-00f067aa0ba902b7-01` })).toBe(trace);
  expect(readTraceId(new Headers({ 'sentry-trace': `${trace}-00f067aa0ba902b7` }))).toBe(trace);
  expect(readTraceId({ traceparent: 'nonsense' })).toBeUndefined();
  expect(readFlightKind({ rsc: '1' })).toBe('navigation');
  const whole = encodeURIComponent('["",{"children":["about",{},null,null]},null,null,true]');
  expect(readFlightKind({ rsc: '1', 'next-router-state-tree': whole })).toBe('navigation-or-prefetch');
  expect(readFlightKind({ rsc: ['1'], 'next-router-prefetch': '1' })).toBe('prefetch');
  expect(readFlightKind(new Headers({ 'sec-purpose': 'prefetch;prerender' }))).toBe('prefetch');
  expect(readFlightKind(new Headers({ accept: 'text/x-component' }))).toBe('navigation');
  expect(readFlightKind(undefined)).toBe('document');
});

import { describe, expect, it } from 'vitest';

import { createPlacer, minute, type Step } from './testing/place-steps.ts';

describe('a prefetch', () => {
  const missing = { 'next-router-state-tree': encodeURIComponent('["",{"children":["a",{},null,"refetch"]}]') };
  const whole = { 'next-router-state-tree': encodeURIComponent('["",{"children":["__PAGE__",{}]}]') };
  const ahead = { 'next-router-prefetch': '1' };

  function learn(...steps: readonly Step[]) {
    const place = createPlacer();
    return steps.map((step, index) => place({ at: index * 1_000, ...step }).learnt);
  }

  function follow(...steps: readonly Step[]): readonly string[] | undefined {
    return learn(...steps).at(-1)?.used;
  }

  const document = { kind: 'document', path: '/' } as const;
  const prefetch = { kind: 'prefetch', path: '/a', id: 'a', from: '/', headers: ahead } as const;
  const navigation = { kind: 'navigation', path: '/a', from: '/', headers: missing } as const;
  const asked = { kind: 'prefetch', path: '/more', headers: ahead } as const;
  const more = { ...asked, from: '/a' } as const;

  it('was used when a navigation asks for the rest of its page', () => {
    expect(follow(document, prefetch, navigation)).toEqual(['a']);
    const tree = { ...prefetch, id: 'tree', headers: { ...ahead, 'next-router-segment-prefetch': '/_tree' } };
    expect(follow(document, tree, prefetch, navigation)).toEqual(['tree', 'a']);
  });

  it('was not when it asks for all of it, for another, too late, or again', () => {
    expect(follow(document, prefetch, { ...navigation, headers: whole })).toEqual([]);
    expect(follow(document, prefetch, { ...navigation, path: '/b' })).toEqual([]);
    expect(follow(document, navigation)).toEqual([]);
    expect(follow(document, prefetch, { ...navigation, at: 6 * minute })).toEqual([]);
    // A step back over a reload asks so, for what it has from the history.
    expect(follow(document, prefetch, { ...navigation, from: '/a' })).toEqual([]);
    expect(follow(document, prefetch, navigation, { ...navigation, from: '/a' })).toEqual([]);
    expect(follow(document, prefetch, navigation, { ...navigation, from: '/b' })).toEqual([]);
  });

  it('of another query is not used by a click', () => {
    const second = { ...prefetch, query: '?page=2&_rsc=1' };
    expect(follow(document, second, { ...navigation, query: '?page=1&_rsc=2' })).toEqual([]);
    expect(follow(document, second, { ...navigation, query: '?page=2&_rsc=2' })).toEqual(['a']);
  });

  it('is not known to be used where its page was shown before: its frame may be from then', () => {
    const first = { ...navigation, headers: whole };
    const back = { ...navigation, path: '/b', from: '/a', headers: whole };
    const link = { ...prefetch, from: '/b' };
    expect(follow(document, first, back, link, { ...navigation, from: '/b' })).toEqual([]);
  });

  it('was used when something comes from its page, which was not loaded', () => {
    expect(follow(document, prefetch, more)).toEqual(['a']);
    expect(follow(document, prefetch, { ...asked, headers: { ...ahead, 'next-url': '/a' } })).toEqual(['a']);
  });

  describe('that may be a click', () => {
    const either = { kind: 'navigation-or-prefetch', path: '/a', id: 'either', from: '/', headers: whole } as const;

    it('was shown when something comes from its page, and then nothing else that was prefetched of it was', () => {
      expect(follow(document, either, more)).toEqual(['either']);
      expect(follow(document, prefetch, either, more)).toEqual(['either']);
      expect(follow(document, either, more, { ...asked, from: '/' }, more)).toEqual([]);
    });

    it('does not say that its page was gone to, nor that it was not', () => {
      expect(learn(document, either, { ...asked, from: '/' }).flatMap(({ used }) => used)).toEqual([]);
      const late = { ...asked, from: '/', at: 6 * minute };
      const frame = { ...prefetch, rendering: 'dynamic' } as const;
      expect(learn(document, frame, late).at(-1)?.unused).toEqual(['a']);
      expect(learn(document, frame, either, late).at(-1)?.unused).toEqual([]);
    });

    it('was not shown by a click that asks for the rest of a frame', () => {
      expect(follow(document, prefetch, either, navigation)).toEqual(['a']);
    });

    it('is known when it begins: what its page asks for comes before its end', () => {
      const place = createPlacer();
      const { traceId } = place(document);
      expect(place.begin({ ...either, at: 10 })).toMatchObject({ used: [] });
      expect(place({ ...more, at: 20 })).toMatchObject({ traceId, learnt: { used: ['either'] } });
      expect(place({ ...either, at: 10 })).toMatchObject({ traceId, fromPath: '/' });
    });
  });

  it('was not when that page was loaded, or is of another site', () => {
    expect(follow(document, prefetch, { kind: 'document', path: '/a' }, more)).toEqual([]);
    const other = { ...asked, headers: { ...ahead, referer: 'http://other.example/a' } };
    expect(follow(document, prefetch, other)).toEqual([]);
    expect(follow(document, prefetch, { ...more, peer: '192.0.2.9' })).toEqual([]);
  });

  it('of a document before is none of the next one', () => {
    const reload = { ...document, headers: { 'cache-control': 'max-age=0' } };
    expect(follow(document, prefetch, reload, navigation)).toEqual([]);
    expect(follow(document, prefetch, reload, { ...prefetch, id: 'again' }, navigation)).toEqual(['again']);
    // Nothing says that the one before has ended. It has what the next one asks for.
    expect(follow(document, prefetch, document, { ...prefetch, id: 'again' }, navigation)).toEqual(['again']);
  });

  it('that the page before a reload still asked for says nothing of another tab', () => {
    const loading = { ...document, at: 3_000, headers: { 'cache-control': 'max-age=0' } };
    const late = { ...prefetch, id: 'late', at: 3_100 };
    const own = { ...prefetch, id: 'own', at: 3_900 };
    const old = { kind: 'document', path: '/' } as const;
    const learnt = learn(old, document, prefetch, loading, late, own, navigation);
    expect(learnt.map(({ doubtful }) => doubtful).flat()).toEqual([]);
    expect(learnt.at(-1)?.used).toEqual(['own']);
  });

  it('is unknown where several tabs ask in turn, and what was said is taken back', () => {
    const second = { kind: 'document', path: '/second' } as const;
    const ofSecond = { ...prefetch, id: 'second', from: '/second' };
    const both = [document, prefetch, second, ofSecond] as const;
    expect(follow(...both, { ...navigation, from: '/second' })).toEqual(['second']);
    const busy = [...both, { ...navigation, from: '/second' }, { ...prefetch, path: '/b', from: '/' }] as const;
    expect(learn(...busy).at(-1)).toMatchObject({ used: [], doubtful: ['second'] });
    expect(follow(...busy, { ...navigation, path: '/b' })).toEqual([]);
    // A third document is told apart again.
    const third = { kind: 'document', path: '/third' } as const;
    expect(
      follow(...busy, third, { ...prefetch, id: 'third', from: '/third' }, { ...navigation, from: '/third' }),
    ).toEqual(['third']);
  });

  it('is not credited to a tab that rests, when another tab asks from a page at which it was loaded', () => {
    const first = { kind: 'document', path: '/a' } as const;
    const rests = [first, { ...more, path: '/x' }, document, prefetch] as const;
    expect(learn(...rests, more).at(-1)).toMatchObject({ used: [], doubtful: [] });
    expect(follow(...rests, { ...navigation, path: '/x', from: '/a' })).toEqual([]);
  });

  it('is not credited to a document that was there before a step back, of which the browser had a copy', () => {
    const start = { kind: 'document', path: '/a' } as const;
    const own = { ...prefetch, id: 'own', from: '/a' };
    // The page is there again, and asks for what it had asked for.
    const again = { ...own, id: 'again', at: minute };
    const learnt = learn(start, more, own, document, prefetch, more, again);
    expect(learnt.slice(-2)).toMatchObject([{ used: ['a'] }, { used: [], doubtful: ['a'] }]);
  });

  it('is taken back when the step back comes right after the document was loaded', () => {
    const about = { kind: 'document', path: '/about', at: 1_000 } as const;
    const ofFirst = ['/new', '/deals'].map((path, at) => ({ ...prefetch, path, id: path, at: 100 + at }));
    const home = { ...prefetch, path: '/', id: 'home', from: '/about', at: 1_100 };
    const deals = { ...prefetch, path: '/deals', id: 'deals', from: '/about', at: 1_200 };
    // The browser had a copy of the first page, which asks again for what the second has.
    const unseen = { ...prefetch, path: '/new', id: 'again', from: '/', at: 1_600 };
    const again = { ...deals, id: 'deals again', from: '/', at: 1_700 };
    const learnt = learn({ ...document, at: 0 }, ...ofFirst, about, home, deals, unseen, again);
    expect(learnt.at(-2)?.used).toEqual(['home']);
    expect(learnt.at(-1)).toMatchObject({ used: [], doubtful: ['home'] });
  });

  it('was used when its page is loaded anew, though no document was known to be there', () => {
    const reload = { kind: 'document', path: '/a', headers: { 'cache-control': 'max-age=0' } } as const;
    expect(follow(document, prefetch, reload)).toEqual(['a']);
    expect(follow(document, prefetch, { ...reload, path: '/b' })).toEqual([]);
    // The document is gone: what it had is none of the next one.
    expect(follow(document, prefetch, reload, { ...navigation, path: '/', from: '/a' }, navigation)).toEqual([]);
    expect(follow(document, prefetch, navigation, reload)).toEqual([]);
  });

  it('is not doubted because of a step back over a reload, to a page that the new document never had', () => {
    const frame = { ...prefetch, rendering: 'dynamic' } as const;
    const reload = { ...document, headers: { 'cache-control': 'max-age=0' } };
    const back = { ...navigation, from: '/a' };
    const other = { ...prefetch, path: '/b', id: 'b' };
    const toOther = { ...navigation, path: '/b' };
    const learnt = learn(document, frame, navigation, document, other, toOther, reload, back);
    expect(learnt.map(({ doubtful }) => doubtful).flat()).toEqual([]);
    expect(learnt[5]?.used).toEqual(['b']);
  });

  it('is not shown by a click that asks for nothing, if it is the frame of a page', () => {
    const frame = { ...prefetch, rendering: 'dynamic' } as const;
    const ofFrame = { ...frame, id: 'second', from: '/second' };
    const second = { kind: 'document', path: '/second' } as const;
    const toSlow = { ...navigation, path: '/b', headers: whole };
    // The first document went there, and asks from there. The second one can be there by no way that nobody sees.
    const learnt = learn(document, frame, navigation, second, ofFrame, { ...toSlow, from: '/a' });
    expect(learnt.flatMap(({ used }) => used)).toEqual(['a']);
    expect(learnt.at(-1)).toMatchObject({ used: [], doubtful: ['a'] });
  });

  it('is unknown where the first that a document seems to do is to be where another one is', () => {
    const second = { kind: 'document', path: '/second' } as const;
    const ofSecond = { ...prefetch, id: 'second', from: '/second' };
    const there = [document, prefetch, navigation, second, ofSecond] as const;
    const onward = { ...navigation, path: '/b', from: '/a', headers: whole };
    expect(learn(...there, onward).at(-1)).toMatchObject({ used: [], doubtful: ['a'] });
    // It has moved before: it is used, and the other one rests.
    const other = { ...prefetch, path: '/c', id: 'c', from: '/second' };
    const moved = { ...navigation, path: '/c', from: '/second' };
    expect(learn(...there, other, moved, { ...onward, from: '/a' }).at(-1)).toMatchObject({ used: ['second'] });
  });

  it('is of a document that was loaded anew meanwhile', () => {
    const first = { kind: 'document', path: '/first' } as const;
    const second = { kind: 'document', path: '/a', at: 1_000 } as const;
    const reload = { ...second, at: 2_000, headers: { 'cache-control': 'max-age=0' } };
    const late = { ...more, at: 1_900 };
    expect(follow(first, { ...prefetch, from: '/first', at: 500 }, second, reload, late)).toEqual([]);
  });

  it('was not used when the answer of an action brought its page', () => {
    const action = { kind: 'action', path: '/', from: '/' } as const;
    const responseHeaders = { 'x-action-redirect': '/a?bought=1;push' };
    expect(follow(document, prefetch, action, more)).toEqual(['a']);
    expect(follow(document, prefetch, { ...action, responseHeaders }, more)).toEqual([]);
  });

  it('is used in a visit of several tabs only where no other one can have asked', () => {
    const second = { kind: 'document', path: '/second' } as const;
    const ofSecond = { ...prefetch, id: 'second', from: '/second' };
    const inTurn = [document, prefetch, second, ofSecond, { ...prefetch, path: '/b', from: '/' }] as const;
    const third = { kind: 'document', path: '/third' } as const;
    const ofThird = { ...prefetch, id: 'third', from: '/third' };
    expect(follow(...inTurn, third, ofThird, { ...navigation, from: '/third' })).toEqual(['third']);
    expect(follow(...inTurn, third, ofThird, more)).toEqual([]);
    expect(follow(document, prefetch, third, ofThird, more)).toEqual(['third']);
  });

  it('is used again when minutes have passed since several tabs asked in turn', () => {
    const onward = { ...navigation, path: '/x', from: '/a', headers: whole };
    const second = { kind: 'document', path: '/second' } as const;
    const ofSecond = { ...prefetch, id: 'second', from: '/second' };
    const inTurn = [
      document,
      prefetch,
      navigation,
      onward,
      second,
      ofSecond,
      { ...more, path: '/y', from: '/x' },
    ] as const;
    const later = (at: number) => [
      { kind: 'document', path: '/third', at } as const,
      { ...prefetch, id: 'third', from: '/third', at: at + 1_000 },
      { ...more, at: at + 2_000 },
    ];
    expect(follow(...inTurn, ...later(minute))).toEqual([]);
    expect(follow(...inTurn, ...later(10 * minute))).toEqual(['third']);
  });

  it('is not doubted because a document is still known at the page that another one has loaded anew', () => {
    const old = { kind: 'document', path: '/a' } as const;
    const reload = { ...old, headers: { 'cache-control': 'max-age=0' } };
    const toStart = { ...prefetch, path: '/', id: 'start', from: '/a' };
    // The reload is of the document before it, which came to `/a` unseen. So that is not at `/` any more.
    const learnt = learn(old, document, prefetch, reload, toStart, { ...asked, from: '/' });
    expect(learnt.at(-1)).toMatchObject({ used: ['start'], doubtful: [] });
  });

  it('is not credited to a page that is just loaded, when a step back shows a copy of another', () => {
    const before = { kind: 'document', path: '/a' } as const;
    const all = { ...asked, path: '/x', from: '/a' };
    const loaded = { ...document, at: 60_000 };
    const own = [
      { ...prefetch, at: 60_100 },
      { ...all, from: '/', at: 60_200 },
    ] as const;
    // It begins with what the page that was just loaded has.
    const copy = { ...all, at: 60_900 };
    const learnt = learn(before, all, loaded, ...own, copy);
    expect(learnt.flatMap(({ used }) => used)).toEqual([]);
  });

  it('is of the document that asked for it, though that ends later', () => {
    const place = createPlacer();
    place({ kind: 'document', path: '/a' });
    const streamed = { ...document, id: 'streamed', at: 10 };
    place.begin(streamed);
    expect(place({ ...prefetch, at: 20 }).learnt.used).toEqual([]);
    const { traceId } = place({ ...prefetch, id: 'b', path: '/b', at: 30 });
    expect(place({ ...more, from: '/', at: 40 }).learnt.used).toEqual([]);
    expect(place(streamed).traceId).toBe(traceId);
    place.begin({ ...navigation, id: 'slow', at: 50 });
    // What its page asks for ends first.
    expect(place({ ...more, at: 60 }).learnt.used).toEqual([]);
    expect(place({ ...navigation, id: 'slow', at: 50 })).toMatchObject({ traceId, learnt: { used: [] } });
  });

  describe('of a page that is rendered for each request', () => {
    const frame = { ...prefetch, rendering: 'dynamic' } as const;
    const later = { kind: 'prefetch', path: '/z', from: '/', headers: ahead } as const;

    it('is unused when its time is over and nobody went there', () => {
      expect(learn(document, frame, { ...later, at: 4 * minute }).at(-1)?.unused).toEqual([]);
      expect(learn(document, frame, { ...later, at: 6 * minute }).at(-1)?.unused).toEqual(['a']);
      expect(learn(document, prefetch, { ...later, at: 6 * minute }).at(-1)?.unused).toEqual([]);
      expect(learn(document, frame, navigation, { ...later, at: 6 * minute }).at(-1)?.unused).toEqual([]);
      // Of several tabs, whichever it was.
      const elsewhere = { ...navigation, headers: whole };
      expect(learn(document, frame, elsewhere, { ...later, at: 6 * minute }).at(-1)?.unused).toEqual([]);
    });

    it('is not unused when a click overtook it', () => {
      const overtaken = { ...frame, at: 3_000 };
      const clicked = { ...navigation, headers: whole, at: 2_990 };
      expect(learn(document, clicked, overtaken, { ...later, at: 6 * minute }).at(-1)?.unused).toEqual([]);
      const after = { ...frame, at: 6_000 };
      expect(learn(document, clicked, after, { ...later, at: 6 * minute }).at(-1)?.unused).toEqual(['a']);
    });

    it('is unknown when one of several tabs was loaded anew, and both can have been there', () => {
      const second = { kind: 'document', path: '/second' } as const;
      const ofSecond = { ...frame, path: '/c', id: 'second', from: '/second' };
      const b = { ...prefetch, path: '/b' };
      const inTurn = [
        document,
        frame,
        b,
        second,
        ofSecond,
        { ...b, from: '/second' },
        { ...later, at: 6_000 },
      ] as const;
      const reload = { kind: 'document', path: '/b', headers: { 'cache-control': 'max-age=0' }, at: 7_000 } as const;
      expect(learn(...inTurn, reload).at(-1)).toMatchObject({ used: [], unused: [] });
      expect(learn(...inTurn.slice(0, 3), reload).at(-1)).toMatchObject({ unused: ['a'] });
    });

    it('is unused when its document was loaded anew', () => {
      const reload = { ...document, headers: { 'cache-control': 'max-age=0' } };
      expect(learn(document, frame, reload).at(-1)?.unused).toEqual(['a']);
      expect(learn(document, prefetch, reload).at(-1)?.unused).toEqual([]);
      expect(learn(document, frame, document).at(-1)?.unused).toEqual([]);
    });
  });
});

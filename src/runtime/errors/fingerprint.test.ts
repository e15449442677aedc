import { describe, expect, it } from 'vitest';

import type { ErrorToGroup, FrameOfError } from './error-to-group.ts';
import { computeGrouping } from './fingerprint.ts';
import type { SourceFrame } from './source-maps.ts';

function frame(source: string, fn: string, line: number, inApp = true): SourceFrame {
  return { fn, file: `/dist/${source}`, source, line, column: 1, inApp };
}

/** As an SDK sends it: nobody knows its source. */
function unresolved(file: string, fn: string, line = 1): SourceFrame {
  return { fn, file, line, column: 1, inApp: true };
}

/** As a browser tells it. */
function script(file: string, fn: string): FrameOfError {
  return { ...unresolved(file, fn), isAddress: true };
}

const own = [frame('src/pages/order.tsx', 'OrderPage', 12), frame('src/orders/load.ts', 'loadOrder', 40)];
const library = [frame('node_modules/pg/client.js', 'query', 7, false)];

function of(error: Partial<ErrorToGroup>): string {
  return computeGrouping({ name: 'Error', message: '', frames: [], ...error }).fingerprint;
}

function ofFrames(...frames: readonly SourceFrame[]): string {
  return of({ frames });
}

function ofMessage(message: string): string {
  return of({ message });
}

/** An independent count of what a list holds. */
function countDistinct(values: readonly string[]): number {
  return new Set(values).size;
}

describe('frames', () => {
  const base = of({ message: 'Order 1 not found', frames: own });

  it('are the same after a rebuild moved lines, renamed a collision and bundled React elsewhere', () => {
    const rebuilt = [
      frame('src/pages/order.tsx', 'OrderPage$1', 17),
      frame('node_modules/react/index.js', 'renderElement', 900, false),
      frame('src/orders/load.ts', 'loadOrder', 44),
    ];
    expect(of({ message: 'Order 2 not found', frames: rebuilt })).toBe(base);
  });

  it('keep the fingerprint that stored rows have', () => {
    expect(base).toBe('68cfb77f9598d87b');
  });

  it('differ by type, by function, by file and by depth', () => {
    const [first] = own;
    expect(first).toBeDefined();
    const variants = [
      of({ frames: own }),
      of({ name: 'TypeError', frames: own }),
      ofFrames(frame('src/pages/order.tsx', 'OrderRow', 12), ...own.slice(1)),
      ofFrames(frame('src/pages/cart.tsx', 'OrderPage', 12), ...own.slice(1)),
      ofFrames(...own.slice(0, 1)),
    ];
    expect(countDistinct(variants)).toBe(5);
  });

  it('count down to the eighth', () => {
    const nine = Array.from({ length: 9 }, (_, at) => frame('src/a.ts', `f${'abcdefghi'.charAt(at)}`, 1));
    const eighthOther = nine.with(7, frame('src/a.ts', 'other', 1));
    const ninthOther = nine.with(8, frame('src/a.ts', 'other', 1));
    expect(ofFrames(...ninthOther)).toBe(ofFrames(...nine));
    expect(ofFrames(...eighthOther)).not.toBe(ofFrames(...nine));
  });

  it.each([
    ['https://shop.example/assets/index-4f3c2a.js', 'https://cdn.example/assets/index-9b1d07.js?v=2'],
    ['/assets/index-DkX8_2aB.js', '/assets/index-Q0zt-n1L.js'],
    ['/static/js/main.4f3c2a1b.chunk.js', '/static/js/main.deadbe01.chunk.js'],
    ['app:///_next/static/chunks/app/page-9f8e7d6c5b4a3210.js', '_next/static/chunks/app/page-0123456789abcdef.js'],
    ['webpack-internal:///(rsc)/./app/page.tsx', 'app/page.tsx'],
    ['file:///srv/releases/20261120/server.js', '/srv/releases/20261121/server.js'],
    // Turbopack's on a server, and esbuild's.
    ['/srv/chunks/ssr/[root-of-the-server]__0a1b2c3d._.js', '/srv/chunks/ssr/[root-of-the-server]__f00d4e5f._.js'],
    ['/srv/chunks/_0a1b2c3d._.js', '/srv/chunks/_f00d4e5f._.js'],
    ['/srv/chunks/ssr/[root-of-the-server]__0a1b2c3d._.js', '/srv/chunks/ssr/[root-of-the-server]__0ii6qst.kp5_q._.js'],
    ['/_next/static/chunks/0y82cjhol40~m.js', '/_next/static/chunks/0vnxt0p1ck.lx.js'],
    ['/assets/chunk-ABCDEFGH.js', '/assets/chunk-4XQ2LQ7K.js'],
  ])('ignore the host, the query and content hashes: %s', (before, after) => {
    expect(ofFrames(unresolved(after, 'load', 9))).toBe(ofFrames(unresolved(before, 'load')));
  });

  it.each([
    ['src/user-settings.js', 'src/user-controls.js'],
    ['src/order-HeaderUi.js', 'src/order-FooterUi.js'],
    ['src/use-auth.js', 'src/use-cart.js'],
    ['a/index.js', 'b/index.js'],
    ['chunks/app_cart_page_tsx_0a1b2c3d._.js', 'chunks/app_shop_page_tsx_0a1b2c3d._.js'],
    ['src/user_settings.js', 'src/user_controls.js'],
  ])('do not take words for content hashes: %s', (one, other) => {
    expect(ofFrames(unresolved(one, 'load'))).not.toBe(ofFrames(unresolved(other, 'load')));
  });

  it('ignore how deep a recursion went, and where in its circle the stack ended', () => {
    const [walk, visit, main] = [
      frame('src/t.ts', 'walk', 1),
      frame('src/t.ts', 'visit', 2),
      frame('src/t.ts', 'main', 3),
    ];
    expect(ofFrames(walk, walk, walk, main)).toBe(ofFrames(walk, main));
    expect(ofFrames(walk, visit, walk, visit, main)).toBe(ofFrames(walk, visit, main));
    expect(ofFrames(visit, walk, visit, walk, visit)).toBe(ofFrames(walk, visit, walk, visit, walk, visit, walk));
    expect(ofFrames(walk, main)).not.toBe(ofFrames(main));
    expect(ofFrames(walk, visit, main)).not.toBe(ofFrames(walk, main));
  });

  it('read V8’s names without what it adds', () => {
    const plain = ofFrames(unresolved('srv/a.js', 'load'));
    for (const name of ['Object.load', 'async load', 'load [as handler]', 'Module.load', 'load$2']) {
      expect(ofFrames(unresolved('srv/a.js', name))).toBe(plain);
    }
    expect(ofFrames(unresolved('srv/a.js', 'Orders.load'))).not.toBe(plain);
  });

  it('are the same in each browser', () => {
    const code = (fn: string) => script('/assets/index.js', fn);
    const firefox = ofFrames(code('addItem'), code('load/<'), code('Basket'));
    expect(ofFrames(code('Object.addItem'), unresolved('<anonymous>', 'Array.map'), code('new Basket'))).toBe(firefox);
    expect(ofFrames(code('addItem'), unresolved('[native code]', 'map'), code('Basket'))).toBe(firefox);
    expect(ofFrames(unresolved('<anonymous>', 'JSON.parse'), code('addItem'), code('Basket'))).toBe(firefox);
    // V8 alone says the class. On a server it tells two methods apart.
    expect(ofFrames(code('CartStore.addItem'), code('load/<'), code('Basket'))).toBe(firefox);
    expect(ofFrames(unresolved('srv/a.js', 'Cart.load'))).not.toBe(ofFrames(unresolved('srv/a.js', 'Order.load')));
  });

  it('of a page’s own code are not told apart by the page’s address', () => {
    const inline = (page: string) => ofFrames(script(page, 'trackView'));
    expect(inline('/products/blue-shoes')).toBe(inline('/products/red-hat'));
    expect(inline('/products/blue-shoes')).not.toBe(ofFrames(script('/assets/app.js', 'trackView')));
  });

  it.each([
    ['/home/ann/shop/dist/orders.js', '/srv/deploy/dist/orders.js'],
    ['/app/dist/orders.js', 'C:\\work\\shop\\dist\\orders.js'],
    ['/var/www/shop/jobs/orders.js', '/srv/shop/releases/2026-03-01/jobs/orders.js'],
    ['/Users/ann/code/packages/cart/dist/a.js', '/builds/shop/packages/cart/dist/a.js'],
  ])('are the same on another machine: %s', (one, other) => {
    expect(ofFrames(unresolved(one, 'save'))).toBe(ofFrames(unresolved(other, 'save')));
  });

  it('without a name are told apart by their file and the message, not by the route', () => {
    const nameless = (file: string, message = 'no price') =>
      of({ message, frames: [unresolved(file, '<anonymous>', 3)], culprit: file });
    expect(nameless('/app/dist/stock.js')).not.toBe(nameless('/app/dist/mail.js'));
    expect(nameless('/app/dist/stock.js')).not.toBe(nameless('/app/dist/stock.js', 'no stock'));
    expect(of({ message: 'no', frames: [unresolved('/app/dist/a.js', '')], culprit: '/a' })).toBe(
      of({ message: 'no', frames: [unresolved('/app/dist/a.js', '')], culprit: '/b' }),
    );
  });

  it('of a plain Error are told apart by its message, of a type with a name of its own they are not', () => {
    const thrown = (name: string, message: string) =>
      of({ name, message, frames: [unresolved('/app/dist/a.js', 'pay')] });
    expect(thrown('Error', 'no stock')).not.toBe(thrown('Error', 'card declined'));
    expect(thrown('Error', 'order 17 is gone')).toBe(thrown('Error', 'order 4711 is gone'));
    expect(thrown('StockError', 'no stock')).toBe(thrown('StockError', 'none left'));
  });

  it('of a minified bundle without a map have no letter of a class, and no function inside a function', () => {
    const render = ofFrames(unresolved('/assets/index.js', 'render'));
    for (const name of ['t.render', 'async nt.render', 't.render [as draw]']) {
      expect(ofFrames(unresolved('/assets/index.js', name))).toBe(render);
    }
    for (const name of ['e/<', 'h/p._invoke</<', 'new t', 'o.e']) {
      const { rule } = computeGrouping({ name: 'E', message: 'm', frames: [script('/assets/index.js', name)] });
      expect(rule).toBe('message');
    }
  });

  it('of a blob are the same whichever address it got', () => {
    const [one, other] = ['7f7aaadf-a006-4217-9ed5-5fbf8585c6c0', '0b1c2d3e-1111-4222-8333-444455556666'].map((id) => [
      unresolved(`blob:https://shop.example/${id}`, 'encode'),
      unresolved(`blob:https://shop.example/${id}`, ''),
    ]);
    expect(of({ frames: one ?? [] })).toBe(of({ frames: other ?? [] }));
    expect(of({ frames: one?.slice(1) ?? [] })).toBe(of({ frames: other?.slice(1) ?? [] }));
    expect(of({ frames: one ?? [] })).not.toBe(of({ frames: one?.slice(1) ?? [] }));
  });

  it('of functions without a name are one file, whichever line failed', () => {
    expect(ofFrames(frame('src/a.ts', '', 3))).toBe(ofFrames(frame('src/a.ts', '<anonymous>', 9)));
    expect(ofFrames(frame('src/a.ts', '', 3))).not.toBe(ofFrames(frame('src/b.ts', '', 3)));
  });

  it('say nothing where a minified bundle has no map: then the message counts', () => {
    const minified = [script('/assets/index.js', 'a'), script('/assets/index.js', '?')];
    expect(of({ message: 'one', frames: minified })).not.toBe(of({ message: 'other', frames: minified }));
    expect(computeGrouping({ name: 'Error', message: 'one', frames: minified }).rule).toBe('message');
  });
});

describe('the message', () => {
  it('stands in for frames, without its values', () => {
    const message = 'User 4711 (ada@example.com) timed out after 1500.5 ms at https://api.example.com/u/1?x=2';
    const other = 'User 9 (bob@example.org) timed out after 3 ms at http://127.0.0.1/';
    expect(ofMessage(message)).toBe(ofMessage(other));
    expect(ofMessage(message)).not.toBe(ofMessage('User 4711 timed out'));
  });

  it('names what it took out', () => {
    expect(ofMessage('row 7 of 0f8fad5b-d9cb-469f-a165-70867728950e, sha deadbeef01, by a@b.co')).toBe(
      ofMessage('row <n> of <uuid>, sha <hex>, by <email>'),
    );
    expect(
      ofMessage('at 2026-11-22T10:00:01.5Z from 10.0.0.7:5432 and fe80:0:0:1::7, ord_9fK2x81, 0x7f, -1,234.5'),
    ).toBe(ofMessage('at <time> from <ip> and <ip>, <id>, <hex>, <n>'));
  });

  it('makes one fault of an SMTP error with changing values', () => {
    const messages = [
      "Can't send mail - all recipients were rejected: 550 5.1.1 <ada@example.com>: user unknown [A1B2C3D4E5F6]",
      "Can't send mail - all recipients were rejected: 550 5.1.1 <bob.b@mail.example.org>: user unknown [00FF11AA22BB]",
      "Can't send mail - all recipients were rejected: 452 4.2.2 <x@y.zz>: user unknown [9F9F9F9F9F9F]",
    ];
    expect(countDistinct(messages.map(ofMessage))).toBe(1);
  });

  it('takes out ids with hyphens in them, as nanoid makes them, and no words that are joined', () => {
    expect(ofMessage('cart V1StGXR8_Z5jdHi6B-myT is gone')).toBe(ofMessage('cart 4f90d13a4-Xy_kLmNoPqR is gone'));
    expect(ofMessage('no table order-of-a-cart-row')).not.toBe(ofMessage('no table order-of-a-shop-row'));
    expect(ofMessage('no Node-18-alpine-3-image')).not.toBe(ofMessage('no Node-18-debian-3-image'));
  });

  it('keeps names of properties apart', () => {
    expect(ofMessage("Cannot read properties of undefined (reading 'name')")).not.toBe(
      ofMessage("Cannot read properties of undefined (reading 'title')"),
    );
  });

  it.each([
    [
      'Minified React error #31; visit https://react.dev/errors/31',
      'Minified React error #418; visit https://react.dev/errors/418',
    ],
    ['Request failed with status code 404', 'Request failed with status code 500'],
    ['HTTP error! Status: 403', 'HTTP error! Status: 429'],
    ['HTTP 404 from the stock', 'HTTP 503 from the stock'],
  ])('keeps a number that says which error it is: %s', (one, other) => {
    expect(ofMessage(one)).not.toBe(ofMessage(other));
  });

  it('takes no other number for one', () => {
    expect(ofMessage('status 4041, HTTP 20, status code -404')).toBe(ofMessage('status 12345, HTTP 9, status code 7'));
    expect(ofMessage('React row #31')).toBe(ofMessage('React row #418'));
  });

  it('is read for two lines', () => {
    expect(ofMessage('one\n\ntwo\nthree')).toBe(ofMessage('one\ntwo\nfour'));
    expect(ofMessage('one\ntwo')).not.toBe(ofMessage('one\nthree'));
  });

  it('is told apart by the place, where it is known', () => {
    const timeout = { message: 'timed out', frames: library };
    const places = ['/orders/[id]', '/cart', undefined].map((culprit) =>
      of({ ...timeout, ...(culprit ? { culprit } : {}) }),
    );
    expect(countDistinct(places)).toBe(3);
    // A transaction that was a path after all.
    expect(of({ ...timeout, culprit: 'GET /orders/17' })).toBe(of({ ...timeout, culprit: 'GET /orders/18' }));
    const versions = ['/api/v1/list/17', '/api/v1/list/18', '/api/v2/list/17', '/api/v2'].map((culprit) =>
      of({ ...timeout, culprit }),
    );
    expect(versions.map((hash) => versions.indexOf(hash))).toEqual([0, 0, 2, 3]);
  });

  it('is not all that an error without text, place and frames of its own has', () => {
    const other = [frame('node_modules/redis/client.js', 'connect', 7, false)];
    expect(of({ frames: library })).not.toBe(of({ frames: other }));
  });
});

describe('causes', () => {
  const cause = { name: 'ConnectionError', message: 'refused at 10.0.0.1', frames: own };

  it('tell apart errors of one line', () => {
    const byDatabase = of({ frames: own, causes: [{ name: 'Error', message: 'refused at 10.0.0.1' }] });
    expect(byDatabase).toBe(of({ frames: own, causes: [{ name: 'Error', message: 'refused at 10.0.0.2' }] }));
    const others = [
      of({ frames: own }),
      of({ frames: own, causes: [{ name: 'TypeError', message: 'refused at 10.0.0.1' }] }),
      of({ frames: own, causes: [{ name: 'Error', message: 'is null' }] }),
      of({ frames: own, causes: [{ name: 'Error', message: '', frames: [frame('src/db.ts', 'connect', 1)] }] }),
      of({ frames: own, causes: [{ name: 'Error', message: '', frames: [frame('src/db.ts', 'query', 1)] }] }),
    ];
    expect(countDistinct([byDatabase, ...others])).toBe(6);
  });

  it('count each, down to the fifth, and of each the three innermost frames', () => {
    const chain = Array.from({ length: 6 }, (_, at) => ({ name: `E${'abcdef'.charAt(at)}`, message: '' }));
    expect(of({ causes: chain.with(4, { name: 'Other', message: '' }) })).not.toBe(of({ causes: chain }));
    expect(of({ causes: chain.with(5, { name: 'Other', message: '' }) })).toBe(of({ causes: chain }));
    const deep = ['a', 'b', 'c', 'd'].map((fn) => frame('src/a.ts', fn, 1));
    const from = (...frames: readonly SourceFrame[]) => of({ frames: own, causes: [{ ...cause, frames }] });
    expect(from(...deep.with(3, frame('src/a.ts', 'other', 1)))).toBe(from(...deep));
    expect(from(...deep.with(2, frame('src/a.ts', 'other', 1)))).not.toBe(from(...deep));
  });

  it('count once, however many are equal', () => {
    const failed = (...shards: readonly number[]) =>
      of({ name: 'AggregateError', causes: shards.map((shard) => ({ name: 'E', message: `shard ${shard} is away` })) });
    expect(failed(1, 2)).toBe(failed(4));
    expect(of({ causes: [cause, { ...cause, name: 'Other' }, cause] })).not.toBe(of({ causes: [cause] }));
  });

  it('stand for a wrapper without frames of its own, whatever it says', () => {
    const wrapper = { message: 'Load failed', frames: library };
    expect(of({ ...wrapper, causes: [cause] })).toBe(of({ ...wrapper, message: 'Other', causes: [cause] }));
    expect(of({ ...wrapper, causes: [{ ...cause, name: 'Other' }] })).not.toBe(of({ ...wrapper, causes: [cause] }));
    expect(of({ ...wrapper, causes: [cause] })).not.toBe(of({ frames: own }));
  });

  it('count by their messages, beside the error’s own, when nobody has frames', () => {
    const wrap = (message: string, outer = 'Load failed') => of({ message: outer, causes: [{ name: 'E', message }] });
    expect(wrap('refused at 10.0.0.1')).toBe(wrap('refused at 10.0.0.2'));
    expect(countDistinct([wrap('refused'), wrap('timed out'), wrap('refused', 'Save failed')])).toBe(3);
  });
});

describe('lines of source', () => {
  function at(text: string, more: Partial<SourceFrame> = {}, below: readonly string[] = []): SourceFrame {
    const context = { firstLine: 11, lines: ['// above', text, ...below] };
    return { ...frame('src/order.ts', 'saveOrder', 12), context, ...more };
  }
  const thrown = at('  throw new Error("no stock");');

  it('tell apart what one function throws, and who called it', () => {
    const caller = (text: string) => at(text, { fn: 'checkout' });
    const faults = [
      ofFrames(thrown),
      ofFrames(at('throw new Error("no price");')),
      ofFrames(thrown, caller('saveOrder(cart);')),
      ofFrames(thrown, caller('saveOrder(draft);')),
    ];
    expect(countDistinct(faults)).toBe(4);
  });

  it('do not count further out', () => {
    const outer = (text: string) => at(text, { fn: 'handle' });
    const inner = [thrown, at('saveOrder(cart);', { fn: 'checkout' })];
    expect(ofFrames(...inner, outer('checkout(1);'))).toBe(ofFrames(...inner, outer('checkout(2);')));
  });

  it('are the same where they moved, were indented otherwise, or the function became async', () => {
    const moved = at('\t\tthrow  new Error("no stock");', { fn: 'async saveOrder', column: 9 });
    expect(ofFrames(moved)).toBe(ofFrames(thrown));
  });

  it('go on below where a call’s arguments begin there', () => {
    const [one, other] = ["'no stock',", "'no price',"].map((below) => ofFrames(at('throw new Error(', {}, [below])));
    expect(one).not.toBe(other);
  });

  it('say nothing where they are a bundle’s, and where a recursion overflowed', () => {
    const long = (text: string) => at(`${text}${'x'.repeat(120)}`);
    expect(ofFrames(long('a'))).toBe(ofFrames(long('b')));
    const circle = (line: string) => [at(line), at('b();', { fn: 'b' }), at(line), at('b();', { fn: 'b' }), at(line)];
    expect(ofFrames(...circle('one();'))).toBe(ofFrames(...circle('other();')));
  });

  it('tell of functions without names what their files do not', () => {
    const nameless = (text: string) => ofFrames(at(text, { fn: '', file: 'srv/a.js' }));
    expect(nameless('one();')).not.toBe(nameless('other();'));
  });
});

describe('an error whose type was made up', () => {
  it('is named by its message', () => {
    const message = (text: string, name: string) => of({ name, message: text, isSynthetic: true });
    expect(message('Card 4 declined', 'Error')).toBe(message('Card 5 declined', 'Message'));
    expect(message('Card declined', 'Error')).not.toBe(of({ message: 'Card declined' }));
  });

  it('is told apart by its message also where a logger of the project captured it', () => {
    const logged = (text: string) => of({ message: text, frames: own, isSynthetic: true });
    expect(logged('Card 4 declined')).toBe(logged('Card 5 declined'));
    expect(logged('Card declined')).not.toBe(logged('Card expired'));
  });
});

describe('a message that was made of a pattern', () => {
  const template = 'No stock for %s in %s';
  const logged = (message: string, more: Partial<ErrorToGroup> = {}) =>
    of({ message, template, isSynthetic: true, ...more });

  it('is named by the pattern, with and without frames of the project', () => {
    expect(logged('No stock for tea in Oslo')).toBe(logged('No stock for rice in Rome'));
    expect(logged('No stock for tea in Oslo', { frames: own })).toBe(
      logged('No stock for rice in Rome', { frames: own }),
    );
    expect(logged('No stock for tea in Oslo')).not.toBe(logged('No stock for tea in Oslo', { template: 'Sold %s' }));
  });

  it('belongs to the fault of the pattern alone', () => {
    expect(logged('No stock for tea in Oslo')).toBe(of({ message: template, isSynthetic: true }));
  });
});

describe('a given fingerprint', () => {
  it('goes before everything else', () => {
    const given = ['checkout'];
    expect(of({ given, frames: own })).toBe(of({ given, name: 'TypeError', message: 'other' }));
    expect(of({ given })).not.toBe(of({ given: ['cart'] }));
  });

  it('is none when it is empty, or nothing but the default', () => {
    for (const given of [[], ['{{ default }}'], ['{{default}}']]) {
      expect(of({ given, frames: own })).toBe(of({ frames: own }));
    }
  });

  it('may add to the default', () => {
    const given = ['{{ default }}', 'tenant-a'];
    expect(of({ given, frames: own })).not.toBe(of({ frames: own }));
    expect(of({ given, frames: own })).not.toBe(of({ given, frames: library }));
    expect(of({ given, frames: own })).not.toBe(of({ given: ['{{ default }}', 'tenant-b'], frames: own }));
  });

  it('may have variables, which are filled in', () => {
    const given = ['{{ type }}', '{{message}}', '{{ transaction }}', '{{ unknown }}'];
    const { parts } = computeGrouping({ name: 'RangeError', message: 'too far', culprit: '/map', frames: [], given });
    expect(parts).toEqual(['Given RangeError', 'Given too far', 'Given /map', 'Given {{ unknown }}']);
  });

  it('cannot be the hash of somebody else’s stack', () => {
    const { parts, rule } = computeGrouping({ name: 'Error', message: '', frames: own });
    expect(rule).toBe('frames');
    expect(parts).toHaveLength(4);
    expect(of({ given: ['Error', 'src/pages/order.tsx|OrderPage', 'src/orders/load.ts|loadOrder'] })).not.toBe(
      of({ frames: own }),
    );
  });
});

it('what was thrown and is no error is one fault with the error that a framework makes of it', () => {
  const thrown = { message: 'basket locked', culprit: '/acts' };
  expect(of({ ...thrown, name: 'thrown string' })).toBe(of({ ...thrown, name: 'Error' }));
});

it('a script that is gone is one fault, whichever script and page', () => {
  const gone = (chunk: string) =>
    of({ name: 'ChunkLoadError', message: `Loading chunk ${chunk} failed.`, culprit: `/${chunk}` });
  expect(gone('app/cart/page')).toBe(gone('app/home/page'));
});

it('an AggregateError is the same in any order of its errors, and another one with another error in it', () => {
  const [a, b, c] = ['TypeError', 'RangeError', 'DbError'].map((name) => ({ name, message: `${name} happened` }));
  const group = (...causes: (typeof a)[]) => of({ causes: causes.filter((one) => one !== undefined) });
  expect(group(a, b)).toBe(group(b, a));
  expect(group(a, b)).not.toBe(group(a, c));
});

it('an AggregateError is the line that gave up where that is known, whatever was tried', () => {
  const [a, b] = ['TypeError', 'RangeError'].map((type) => ({ name: type, message: `${type} happened` }));
  const group = (...causes: (typeof a)[]) =>
    of({ name: 'AggregateError', frames: own, causes: causes.filter((one) => one !== undefined) });
  expect(group(a, b)).toBe(group());
  expect(group(a)).toBe(group(b));
  expect(group(a)).not.toBe(of({ frames: own, causes: a ? [a] : [] }));
});

describe('the explanation', () => {
  it('is a list of facts', () => {
    expect(computeGrouping({ name: 'TypeError', message: 'x', frames: own })).toMatchObject({
      rule: 'frames',
      parts: ['Type TypeError', 'Frame src/pages/order.tsx · OrderPage', 'Frame src/orders/load.ts · loadOrder'],
    });
    expect(computeGrouping({ name: 'E', message: 'row 7', frames: [], culprit: '/cart' })).toMatchObject({
      rule: 'culprit',
      parts: ['Type E', 'Message row <n>', 'Place /cart'],
    });
    const causes = [{ name: 'Inner', message: 'no' }];
    expect(computeGrouping({ name: 'E', message: '', frames: [], causes })).toMatchObject({
      rule: 'message',
      parts: ['Type E', 'Message ', 'Caused by Inner', 'Cause message no'],
    });
    expect(computeGrouping({ name: 'E', message: 'm', frames: [], given: ['a', '{{ default }}'] })).toMatchObject({
      rule: 'given',
      parts: ['Given a', 'Type E', 'Message m'],
    });
  });

  it('is short, whatever was sent', () => {
    const { parts } = computeGrouping({
      name: 'N'.repeat(9_999),
      message: '',
      frames: [],
      given: ['g'.repeat(9_999), '{{ default }}'],
    });
    for (const part of parts) expect(part.length).toBeLessThan(400);
  });
});

it('says what was left out, and why', () => {
  const minified = [script('/assets/index.js', 'a'), script('/assets/index.js', '?')];
  const { parts, rule } = computeGrouping({ name: 'E', message: 'm', frames: minified });
  expect(rule).toBe('message');
  expect(parts).toEqual([
    'Type E',
    'Message m',
    'Left out 2 frames of the app’s own code that have neither a name nor a source',
  ]);
});

it('takes what stands in no function for nameless in Safari, too', () => {
  const scripts = (...names: readonly string[]) => names.map((name) => unresolved('/assets/index.js', name));
  expect(of({ frames: scripts('addItem', 'global code') })).toBe(of({ frames: scripts('addItem') }));
});

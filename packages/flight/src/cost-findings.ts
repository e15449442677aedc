import type { Duplicate } from './duplicates.ts';
import {
  cost,
  countOf,
  isWorthSaying,
  maxOfKind,
  minBase64,
  minDistinct,
  minShare,
  share,
  type Finding,
  type Understood,
} from './finding.ts';
import type { Flight } from './flight.ts';
import { placeOf, type Place } from './place.ts';
import { readHeader } from './row-index.ts';
import { rowTagOf } from './row-tags.ts';
import { endAt, startAt } from './tape.ts';
import { readUtf8 } from './value-text.ts';
import { visitFlight } from './visit-flight.ts';

/** What makes a payload large, and can be made smaller. */
export function findCosts(flight: Flight, understood: Understood): Finding[] {
  return [
    ...findRepeats(understood),
    ...findLargeProps(understood),
    ...findModules(understood),
    ...findBase64(flight),
    ...findDevelopment(understood),
  ];
}

function isClassName(inside: string): boolean {
  return / class(?:Name)?$/.test(inside);
}

function findRepeats({ attribution, duplicates }: Understood): Finding[] {
  const { total } = attribution;
  const pairs = duplicates.patterns.filter(
    ({ first, again, distinct, wasted }) =>
      distinct >= minDistinct &&
      !isClassName(first) &&
      !isClassName(again) &&
      first !== again &&
      isWorthSaying(wasted, total),
  );
  const told = new Set(pairs.map(({ first, again }) => `${first}\n${again}`));
  const classes = duplicates.list.filter(({ places }) => isClassName(places[0]?.inside ?? ''));
  const wastedByClasses = classes.reduce((sum, { wasted }) => sum + wasted, 0);
  const single = duplicates.list.filter(
    (duplicate) => !classes.includes(duplicate) && !isTold(duplicate, told) && isWorthSaying(duplicate.wasted, total),
  );
  const found = pairs.slice(0, maxOfKind).map(({ first, again, distinct, wasted, place }) => {
    const title = `${countOf(distinct, 'value')} are sent in ${named(first)} and again in ${named(again)}: ${share(wasted, total)}.`;
    return cost('sent-twice', wasted, title, 'Pass it once and let the client component use it twice.', place);
  });
  const [worst] = classes;
  if (worst && isWorthSaying(wastedByClasses, total)) {
    const title = `${countOf(classes.length, 'class name list')} ${classes.length === 1 ? 'is' : 'are'} repeated, ${worst.text} ${worst.count} times: ${share(wastedByClasses, total)}.`;
    const advice = 'Compression removes most of this. To send it only once, use one CSS class or a client component.';
    found.push(cost('class-names', wastedByClasses, title, advice, worst.places[1]));
  }
  for (const { text, count, wasted, places, kind } of single.slice(0, maxOfKind)) {
    const what = kind === 'structure' ? 'structure' : kind === 'string' ? 'text' : 'row';
    const title = `The same ${what}, ${text}, is sent ${count} times: ${share(wasted, total)}.`;
    const advice = 'React sends the same object once and refers to it: use one object instead of equal copies.';
    found.push(cost('repeated', wasted, title, advice, places[1]));
  }
  return found;
}

function named(inside: string): string {
  return inside === '' ? 'values outside elements' : inside;
}

function isTold({ places }: Duplicate, told: ReadonlySet<string>): boolean {
  return told.has(`${places[0]?.inside ?? ''}\n${places[1]?.inside ?? ''}`);
}

const ownSentence = new Set(['children', 'className', 'class', 'others']);

function findLargeProps({ attribution }: Understood): Finding[] {
  const { total, props } = attribution;
  // A prop of many small values is a list, not a large prop. Class names and children have findings of their own.
  const large = props.filter(
    ({ prop, bytes, largestBytes }) =>
      !ownSentence.has(prop) && isLarge(bytes, total) && isWorthSaying(Math.min(bytes, largestBytes), total),
  );
  return large.slice(0, maxOfKind).map(({ element, prop, bytes, count, largest }) => {
    const uses = count === 1 ? '' : ` in ${countOf(count, 'element')}`;
    const title = `${prop} of ${element} carries ${share(bytes, total)}${uses}.`;
    const advice = 'Send only what the component reads; a client component’s props are all in the payload.';
    return cost('large-prop', bytes, title, advice, largest);
  });
}

/** A prop is mentioned from twice the size of other costs on. */
function isLarge(bytes: number, total: number): boolean {
  return isWorthSaying(bytes / 2, total);
}

function findModules({ attribution, modules }: Understood): Finding[] {
  const { total } = attribution;
  const found: Finding[] = [];
  const unused = modules.filter(({ elements, values }) => elements + values === 0);
  const [first] = unused;
  if (first) {
    const bytes = unused.reduce((sum, module) => sum + module.bytes, 0);
    const names = unused.slice(0, 5).map(({ name, module }) => name || module);
    const title = `${countOf(unused.length, 'client module')} named and not used, ${names.join(', ')}: ${share(bytes, total)}.`;
    const advice = 'The browser loads each all the same: look for what passes the component on without rendering it.';
    found.push(cost('unused-modules', bytes, title, advice, { row: first.row }));
  }
  const chunks = modules.reduce((sum, { chunkBytes }) => sum + chunkBytes, 0);
  const [largest] = modules.toSorted((a, b) => b.chunkBytes - a.chunkBytes);
  if (largest && isWorthSaying(chunks, total)) {
    const title = `The names of client modules’ files are ${share(chunks, total)}.`;
    const advice = `${countOf(modules.length, 'module')}; fewer client components at the edge of the page, or larger chunks, name fewer files.`;
    found.push(cost('chunk-names', chunks, title, advice, { row: largest.row }));
  }
  return found;
}

const base64 = /^(?:data:[\w./+-]*(?:;[\w=-]+)*;base64,)?[A-Za-z0-9+/\s_-]+={0,2}$/;

/** Text with spaces is prose, and text without upper case, lower case or digits is a word or hex. */
function isBase64(text: string): boolean {
  if (text.length < minBase64 || !base64.test(text)) return false;
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text) && !/ /.test(text);
}

function findBase64(flight: Flight): Finding[] {
  let bytes = 0;
  let count = 0;
  let largest: { size: number; place: Place } | undefined;
  function add(length: number, place: Place): void {
    bytes += length;
    count += 1;
    if (length > (largest?.size ?? 0)) largest = { size: length, place };
  }
  const { tape } = flight;
  visitFlight(flight, {
    text: (text, row, at) => {
      if (isBase64(text)) add(endAt(tape, at, flight.bytes) - startAt(tape, at), placeOf(flight, row, at));
    },
  });
  for (let row = 0; row < flight.rows.count; row++) {
    const { tag, payloadStart, payloadEnd } = readHeader(flight.rows, row);
    if (rowTagOf(tag).holds !== 'text' || payloadEnd - payloadStart < minBase64) continue;
    if (isBase64(readUtf8(flight, payloadStart, payloadEnd))) add(payloadEnd - payloadStart, { row });
  }
  if (count === 0 || bytes < flight.bytes.length * minShare) return [];
  const title = `${countOf(count, 'string')} of base64: ${share(bytes, flight.bytes.length)}.`;
  const advice = 'A typed array is sent as it is, a quarter smaller; a file of its own is cached and not sent again.';
  return [cost('base64', bytes, title, advice, largest?.place)];
}

function findDevelopment({ attribution }: Understood): Finding[] {
  const { debug } = attribution.kinds;
  if (debug === 0) return [];
  const title = `Written by a development server: ${share(debug, attribution.total)} are its debug data.`;
  const advice = 'Production sends none of it, and React’s production client refuses such a payload.';
  return [cost('development', debug, title, advice, undefined)];
}

import type { LoadSecondPart } from './second-part.ts';
import type { PageListeners } from './watch-page.ts';

type Listeners = Required<Pick<PageListeners, 'onFetch' | 'onNavigation'>>;

/** A page that asks for more before it is loaded is none that anybody reads. */
const mostHeld = 1_000;

/** The event of the load may come before the first paint. What is hidden is not painted. */
function afterPaint(run: () => void): void {
  if (document.visibilityState === 'hidden') run();
  else requestAnimationFrame(() => setTimeout(run));
}

/**
 * What the page asks for and goes to, for the second part: that is loaded when the page is, and then hears of all that came before.
 * @param address where it tells what it finds out
 * @param remembers whether the tab may keep how much it has told
 */
export function holdPage(address: string, remembers: boolean, loadSecondPart: LoadSecondPart): Listeners {
  let listeners: Listeners | undefined;
  let held: ((to: Listeners) => void)[] = [];

  function hear(call: (to: Listeners) => void): void {
    if (listeners) call(listeners);
    else if (held.length < mostHeld) held.push(call);
  }

  async function load(): Promise<void> {
    try {
      listeners = (await loadSecondPart()).watchAnswers(address, remembers);
      for (const call of held) call(listeners);
    } catch {
      // It is gone, after a deploy: nothing is told.
    }
    held = [];
  }

  const loadSoon = () => afterPaint(() => void load());
  if (document.readyState === 'complete') loadSoon();
  else addEventListener('load', loadSoon);
  return {
    onFetch: (...asked) => hear((to) => to.onFetch(...asked)),
    onNavigation: (...gone) => hear((to) => to.onNavigation(...gone)),
  };
}

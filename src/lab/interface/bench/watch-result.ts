/** A part of the result that changed, in words: `p “Rain until noon”`. */
export type Change = { readonly name: string; readonly isLate: boolean };

/**
 * React shows what a row completed at once, or holds it back for 300 ms after a fallback (its `FALLBACK_THROTTLE_MS`). What changes
 * later may have another cause: a module that was still loading, or what a component does by itself.
 */
const certainMs = 600;
const longestText = 32;

function findElement(node: Node): Element | undefined {
  if (node instanceof Element) return node;
  return node instanceof Text ? (node.parentElement ?? undefined) : undefined;
}

function nameElement(element: Element): string {
  // As it is shown: with a space where a line ends, and not with the items of a list run together.
  const written = element instanceof HTMLElement ? element.innerText : element.textContent;
  const text = written.replace(/\s+/g, ' ').trim();
  const shown = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  const name = element.localName;
  return shown === '' ? `<${name}>` : `<${name}> “${shown}”`;
}

function light(element: Element, isLate: boolean): Animation {
  const outline = `2px ${isLate ? 'dashed' : 'solid'} var(--accent)`;
  return element.animate([{ outline, outlineOffset: '-1px', backgroundColor: 'var(--lit)' }], {
    duration: 1,
    fill: 'forwards',
  });
}

/**
 * Watches what React changes in the result from now on, and lights it: by animations, which change nothing that React knows of.
 * While that is certainly the row's doing nothing in it can take the focus: the panel of an error would, and the page would scroll away
 * from the buttons.
 * @returns ends it, and puts the lights out
 */
export function watchResult(result: HTMLElement, onChange: (changes: readonly Change[]) => void): () => void {
  const began = performance.now();
  const seen = new Map<Element, Animation>();
  const changes: Change[] = [];
  const observer = new MutationObserver((records) => {
    const isLate = performance.now() - began > certainMs;
    const met = records.flatMap(({ type, target, addedNodes }) =>
      type === 'characterData' ? [target] : [...addedNodes],
    );
    const elements = new Set(met.flatMap((node) => findElement(node) ?? []).filter((one) => result.contains(one)));
    for (const element of elements) {
      const isInside = [...elements, ...seen.keys()].some((other) => other !== element && other.contains(element));
      if (isInside || element === result || seen.has(element)) continue;
      seen.set(element, light(element, isLate));
      changes.push({ name: nameElement(element), isLate });
    }
    onChange([...changes]);
  });
  observer.observe(result, { childList: true, characterData: true, subtree: true });
  result.inert = true;
  const timer = setTimeout(() => {
    result.inert = false;
  }, certainMs);
  return () => {
    clearTimeout(timer);
    result.inert = false;
    observer.disconnect();
    for (const animation of seen.values()) animation.cancel();
  };
}

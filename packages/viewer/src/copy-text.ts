/**
 * Puts `text` on the clipboard. `navigator.clipboard` exists only in secure contexts. A self-hosted site is often plain
 * http inside a network; there the older command still works.
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = globalThis.isSecureContext ? navigator.clipboard : undefined;
  if (clipboard) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // Denied by the user or by a permissions policy: the older way may still be allowed.
    }
  }
  return copySelection(text);
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

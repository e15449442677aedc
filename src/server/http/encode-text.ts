/**
 * `encodeURIComponent` of a text that came from outside. A surrogate without its other half (of a text that was cut in an emoji, or
 * sent so) makes `encodeURIComponent` throw; here it becomes U+FFFD, as wherever a text is stored.
 */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

'use client';

/** What a library does that takes the server for a browser. */
export function NeedsBrowser() {
  return <p>The window is {window.innerWidth} pixels wide.</p>;
}

/** Calls `navigate` in place of the browser for each link of this site. */
export function listenToLinks(navigate) {
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link || link.origin !== location.origin) return;
    event.preventDefault();
    history.pushState(null, '', link.href);
    void navigate();
  });
  addEventListener('popstate', () => void navigate());
}

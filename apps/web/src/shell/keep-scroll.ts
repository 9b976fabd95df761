import type { AnyRouter } from '@tanstack/react-router';

/** Shows each page from its top, and from where the user left it after Back. A change of the search keeps the position. */
export function keepScroll(router: AnyRouter, signal: AbortSignal): void {
  const tops = new Map<string, number>();
  let entry = router.state.location.state.__TSR_key ?? '';
  addEventListener(
    'scroll',
    ({ target }) => {
      if (target instanceof Element && target.id === 'main') tops.set(entry, target.scrollTop);
    },
    { capture: true, passive: true, signal },
  );
  const stop = router.subscribe('onRendered', ({ toLocation, pathChanged }) => {
    entry = toLocation.state.__TSR_key ?? '';
    const main = document.getElementById('main');
    if (pathChanged && main) main.scrollTop = tops.get(entry) ?? 0;
  });
  signal.addEventListener('abort', stop);
}

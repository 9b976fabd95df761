import type { AnyRouter } from '@tanstack/react-router';

/** Shows each page from its top, and from where the user left it after Back. A change of the search keeps the position. */
export function keepScroll(router: AnyRouter, signal: AbortSignal): void {
  const tops = new Map<string, number>();
  let entry = router.state.location.state.__TSR_key ?? '';
  addEventListener(
    'scroll',
    ({ target }) => {
      // A page that is being loaded may take the place of the one that the user leaves.
      const isLeaving = router.state.status === 'pending';
      if (target instanceof Element && target.id === 'main' && !isLeaving) tops.set(entry, target.scrollTop);
    },
    { capture: true, passive: true, signal },
  );
  const stop = router.subscribe('onRendered', ({ toLocation, pathChanged }) => {
    entry = toLocation.state.__TSR_key ?? '';
    const main = document.getElementById('main');
    if (!main) return;
    if (pathChanged) main.scrollTop = tops.get(entry) ?? 0;
    else tops.set(entry, main.scrollTop);
  });
  signal.addEventListener('abort', stop);
}

/** Elements that take the focus over; no field, since that would open the keyboard of a phone. */
const TARGETS = ':is(a[href], button:not(:disabled)):not([tabindex="-1"])';

/** An element around the one that has the focus, and how many targets stand in it before that one. */
type Place = readonly [around: Element, index: number];

function placesOf(element: Element): Place[] {
  const places: Place[] = [];
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (around.id === 'main' || around === document.body) break;
    const index = [...around.querySelectorAll(TARGETS)].filter(
      (target) => target.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING,
    ).length;
    places.push([around, index]);
  }
  return places;
}

/** Moves the focus to what stands where the lost element was, or to the page as a whole. */
function restoreFocus(places: readonly Place[]): void {
  if (document.activeElement !== document.body) return;
  for (const [around, index] of places) {
    if (!around.isConnected) continue;
    const targets = around.querySelectorAll<HTMLElement>(TARGETS);
    targets[Math.min(index, targets.length - 1)]?.focus();
    if (document.activeElement !== document.body) return;
  }
  document.getElementById('main')?.focus({ preventScroll: true });
}

/**
 * Keeps the focus of the keyboard near where it was when its element goes, such as a row that is removed or a page that is left.
 * A browser would give it to the document, and a screen reader would begin at the top.
 */
export function keepFocus(signal: AbortSignal): void {
  let focused: Element | null = null;
  let places: Place[] = [];
  document.addEventListener(
    'focusin',
    ({ target }) => {
      focused = target as Element;
      places = placesOf(focused);
    },
    { signal },
  );
  const watcher = new MutationObserver(() => {
    if (!focused || focused.isConnected) return;
    focused = null;
    const lost = places;
    // A dialog that closes gives the focus back by itself, in the same frame.
    requestAnimationFrame(() => restoreFocus(lost));
  });
  watcher.observe(document.body, { childList: true, subtree: true });
  signal.addEventListener('abort', () => watcher.disconnect());
}

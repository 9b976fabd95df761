/** Elements that may take over the focus. Not text fields, which would open the keyboard of a phone. */
const TARGETS = ':is(a[href], button:not(:disabled)):not([tabindex="-1"])';

/** An ancestor of the focused element, and the number of targets in it before that element. */
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

/** Moves the focus to what is now in the place of the lost element, or to the page as a whole. */
function restoreFocus(places: readonly Place[]): void {
  const hasFocus = () =>
    document.activeElement !== document.body && !document.querySelector(':disabled:focus');
  if (hasFocus()) return;
  for (const [around, index] of places) {
    if (!around.isConnected) continue;
    const targets = around.querySelectorAll<HTMLElement>(TARGETS);
    targets[Math.min(index, targets.length - 1)]?.focus();
    if (hasFocus()) return;
  }
  document.getElementById('main')?.focus({ preventScroll: true });
}

/**
 * Keeps the keyboard focus near its place when its element disappears or is disabled, such as a removed row, a closed page, or the
 * button that moves a column up when it is the first. A browser would focus the document, and a screen reader would start at the
 * top.
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
    if (!focused || (focused.isConnected && !focused.matches(':disabled'))) return;
    focused = null;
    const lost = places;
    // A closing dialog restores the focus itself, in the same frame.
    requestAnimationFrame(() => restoreFocus(lost));
  });
  watcher.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  signal.addEventListener('abort', () => watcher.disconnect());
}

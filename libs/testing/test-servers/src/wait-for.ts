type Waited<T> = T | null | undefined | false;

/** Polls until `check` gives a value; the only way a spec may wait. @throws after `timeoutMs` */
export async function waitFor<T>(
  what: string,
  check: () => Waited<T> | Promise<Waited<T>>,
  // Generous: a busy machine must not decide a test, and a met condition ends the wait at once. A test that has lost its
  // guard is given twice as long (tools/check-mutants.mjs).
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Timed out after ${timeoutMs} ms waiting for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

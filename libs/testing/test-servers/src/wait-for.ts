type Waited<T> = T | null | undefined | false;

/** Polls until `check` returns a value; the only way in which a spec may wait. @throws after `timeoutMs` */
export async function waitFor<T>(
  what: string,
  check: () => Waited<T> | Promise<Waited<T>>,
  // Generous: a busy machine must not decide a test, and the wait ends as soon as the condition is met. Tests of mutants
  // get twice as long (tools/check-mutants.mjs).
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

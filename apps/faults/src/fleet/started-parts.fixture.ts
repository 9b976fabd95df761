import { rmSync } from 'node:fs';

/** Collects a scene's parts from the first on: also an opening that fails midway leaves nothing behind. */
export class StartedParts {
  private static readonly unclosed = new Set<StartedParts>();
  private readonly ends = new Map<string, () => unknown>();

  constructor() {
    StartedParts.unclosed.add(this);
  }

  static async closeAll(): Promise<void> {
    await Promise.all([...StartedParts.unclosed].map((parts) => parts.close()));
  }

  /** Says how a part is ended; of the same name anew, in place of what was said before. */
  add(name: string, end: () => unknown): void {
    this.ends.set(name, end);
  }

  /** Ends the last part first, each whatever becomes of the others. @throws what the first of them threw */
  async close(): Promise<void> {
    StartedParts.unclosed.delete(this);
    const errors: unknown[] = [];
    for (const [name, end] of [...this.ends].reverse()) {
      this.ends.delete(name);
      try {
        await end();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** @returns the parts of a scene in a folder that ends with them */
export function partsIn(folder: string): StartedParts {
  const parts = new StartedParts();
  parts.add('folder', () => rmSync(folder, { recursive: true, force: true }));
  return parts;
}

import { rmSync } from 'node:fs';

/** Started parts of a scene. Also closes the parts of a scene whose opening fails midway. */
export class StartedParts {
  private static readonly unclosed = new Set<StartedParts>();
  private readonly ends = new Map<string, () => unknown>();

  constructor() {
    StartedParts.unclosed.add(this);
  }

  static async closeAll(): Promise<void> {
    await Promise.all([...StartedParts.unclosed].map((parts) => parts.close()));
  }

  /** Registers the function that ends a part; replaces an earlier one of the same name. */
  add(name: string, end: () => unknown): void {
    this.ends.set(name, end);
  }

  /** Ends all parts, the last one first, even if some fail. @throws the first error */
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

/** @returns the parts of a scene in a folder that is removed with them */
export function partsIn(folder: string): StartedParts {
  const parts = new StartedParts();
  parts.add('folder', () => rmSync(folder, { recursive: true, force: true }));
  return parts;
}

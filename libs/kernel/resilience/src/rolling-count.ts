/** Number of parts of a window: at most a tenth of it expires at once. */
const PARTS = 10;

/** Counts events of the last `windowMs` by kind. */
export class RollingCount<Kind extends string> {
  private parts: Array<{ index: number; counts: Map<Kind, number> }> = [];

  constructor(
    private readonly windowMs: number,
    private readonly now: () => number,
  ) {}

  add(kind: Kind): void {
    const index = this.index();
    let part = this.parts.at(-1);
    if (part?.index !== index) {
      part = { index, counts: new Map() };
      this.parts = [...this.living(), part];
    }
    part.counts.set(kind, (part.counts.get(kind) ?? 0) + 1);
  }

  of(kind: Kind): number {
    return this.living().reduce((sum, { counts }) => sum + (counts.get(kind) ?? 0), 0);
  }

  clear(): void {
    this.parts = [];
  }

  private living(): typeof this.parts {
    const oldest = this.index() - PARTS;
    return this.parts.filter(({ index }) => index > oldest);
  }

  private index(): number {
    return Math.floor((this.now() * PARTS) / this.windowMs);
  }
}

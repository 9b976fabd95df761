import { AppError } from '@quarry/error-codes';
import { CursorSigner, type Ctx } from '@quarry/app';
import { signingKeys } from './signing-keys.js';

/** Cursors of lists whose underlying call uses positions. */
export class PageCursors {
  private readonly signer: CursorSigner;

  /** @param secrets the first one signs, all verify; the same in every process */
  constructor(secrets: readonly [string, ...string[]]) {
    this.signer = new CursorSigner(signingKeys(secrets));
  }

  /** @param of the list: the arguments without the page @returns the cursor of the page at a position */
  cursorAt(ctx: Ctx, tool: string, of: unknown, position: number): string {
    return this.signer.signCursor(bindingOf(ctx, tool, of), String(position));
  }

  /** @returns the position; 0 without a cursor. @throws AppError invalid_cursor */
  positionOf(ctx: Ctx, tool: string, of: unknown, cursor: string | undefined): number {
    if (cursor === undefined) return 0;
    const position = this.signer.openCursor(bindingOf(ctx, tool, of), cursor);
    if (position === null) throw new AppError('invalid_cursor', 'The cursor does not belong to this list.');
    return Number(position);
  }
}

function bindingOf(ctx: Ctx, tool: string, of: unknown) {
  const { orgId, mode } = ctx;
  return { tenant: [orgId, mode] as const, endpoint: tool, subject: JSON.stringify(of) };
}

import { expect } from '@jest/globals';
import fc from 'fast-check';
import { violatedConstraint, type Ctx, type Database } from '@quarry/platform';
import { accountId, type AccountMode, type CreditLedger } from '../credit-ledger.js';
import { type End, type LedgerModel, type Wish } from './ledger.model.js';

/** One organisation in the database, and the count of what the ledger has judged for it. */
export interface RealLedger {
  database: Database;
  ledger: CreditLedger;
  ctx: Ctx;
  tally: { steps: number };
}

/** Few enough that most commands meet what an earlier one did. */
const SLOTS = 250;
const MODES = ['live', 'test'] as const;

/**
 * What is done to the ledger and to the model. Each single grant, hold or end that the ledger judges is a step; its
 * answer and, after each command, both balances must be those of the model.
 */
abstract class LedgerCommand implements fc.AsyncCommand<LedgerModel, RealLedger> {
  check(_model: Readonly<LedgerModel>): boolean {
    return true;
  }

  /** @returns the model's and the ledger's answers, one for each step */
  protected abstract judge(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]>;

  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    const [expected, seen] = await this.judge(model, real);
    expect(seen).toEqual(expected);
    const balances = MODES.map((mode) => real.ledger.balance({ ...real.ctx, mode }));
    const sums = (await Promise.all(balances)).map(({ updatedAt: _, ...rest }) => rest);
    expect(sums).toEqual(MODES.map((mode) => model.balance(mode)));
    real.tally.steps += seen.length;
  }

  toString(): string {
    return `${this.constructor.name}(${JSON.stringify(Object.values(this)).slice(1, -1)})`;
  }
}

class Grant extends LedgerCommand {
  protected readonly kind: 'grant' | 'adjustment' = 'grant';

  constructor(
    readonly mode: AccountMode,
    readonly slot: number,
    readonly amount: number,
  ) {
    super();
  }

  protected async judge(model: LedgerModel, { ledger, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const { mode, slot, amount, kind } = this;
    const grant = { id: `${ctx.orgId}-g${slot}`, amount, mode, kind, reason: 'model' };
    const seen = await ledger.grant(ctx, grant).catch((error: unknown) => {
      if (violatedConstraint(error) !== 'available_not_negative') throw error;
      return 'refused';
    });
    return [[model.grant(mode, slot, amount)], [seen]];
  }
}

class Adjust extends Grant {
  protected override readonly kind = 'adjustment';
}

class Hold extends LedgerCommand {
  constructor(readonly wish: Wish) {
    super();
  }

  protected async judge(model: LedgerModel, { ledger, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const { mode, slot, amount } = this.wish;
    const seen = await ledger.hold({ ...ctx, mode }, { id: holdId(ctx, slot), amount });
    return [[model.hold(this.wish)], [seen.kind === 'held']];
  }
}

class Post extends LedgerCommand {
  constructor(readonly ending: End) {
    super();
  }

  protected async judge(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    return [[model.end(this.ending)], [await post(real, this.ending)]];
  }
}

class Void extends LedgerCommand {
  constructor(readonly slot: number) {
    super();
  }

  protected async judge(model: LedgerModel, { ledger, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const seen = await ledger.void(ctx, holdId(ctx, this.slot));
    return [[model.end({ slot: this.slot, amount: 0 })], [seen.kind === 'resolved']];
  }
}

class PostAboveTheHold extends LedgerCommand {
  constructor(readonly ending: End) {
    super();
  }

  override check(model: Readonly<LedgerModel>): boolean {
    return model.held(this.ending.slot) !== null;
  }

  protected async judge(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    const { slot, amount } = this.ending;
    const above = model.held(slot)! + amount;
    return [[false], [await post(real, { slot, amount: above })]];
  }
}

/** Posts, posts the same again, which changes nothing, and voids, which comes too late. */
class EndTwice extends LedgerCommand {
  constructor(readonly ending: End) {
    super();
  }

  protected async judge(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    const ends = [this.ending, this.ending, { ...this.ending, amount: 0 }];
    const seen: boolean[] = [];
    for (const end of ends) seen.push(...(await endGroup(real, [end])));
    return [ends.map((end) => model.end(end)), seen];
  }
}

class EndUnknown extends LedgerCommand {
  constructor(readonly amount: number) {
    super();
  }

  protected async judge(_model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    return [[false], [await post(real, { slot: SLOTS, amount: this.amount })]];
  }
}

/** Holds in one call, as a group of claims places them: each is judged on what those before it leave. */
class HoldGroup extends LedgerCommand {
  constructor(readonly wishes: Wish[]) {
    super();
  }

  protected async judge(model: LedgerModel, { database, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const wire = this.wishes.map(({ mode, slot, amount }) => ({
      hold: holdId(ctx, slot),
      account: accountId(ctx.orgId, mode),
      amount,
    }));
    const rows = await database.query<{ hold: string }>(
      ctx,
      'SELECT credits.place_holds($1::jsonb) AS hold',
      [JSON.stringify(wire)],
    );
    const standing = new Set(rows.map((row) => row.hold));
    return [this.wishes.map((wish) => model.hold(wish)), wire.map(({ hold }) => standing.has(hold))];
  }
}

/** Ends in one call, as a group of settlements writes them. */
class EndGroup extends LedgerCommand {
  constructor(readonly ends: End[]) {
    super();
  }

  protected async judge(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    return [this.ends.map((end) => model.end(end)), await endGroup(real, this.ends)];
  }
}

async function post({ ledger, ctx }: RealLedger, { slot, amount }: End): Promise<boolean> {
  return (await ledger.post(ctx, holdId(ctx, slot), amount)).kind === 'resolved';
}

async function endGroup({ database, ctx }: RealLedger, ends: End[]): Promise<boolean[]> {
  const wire = ends.map(({ slot, amount }, i) => ({
    id: `${ctx.orgId}-e${slot}-${amount}-${i}`,
    hold: holdId(ctx, slot),
    amount,
  }));
  const rows = await database.query<{ hold: string }>(
    ctx,
    'SELECT credits.resolve_holds($1::jsonb) AS hold',
    [JSON.stringify(wire)],
  );
  const ended = new Set(rows.map((row) => row.hold));
  return wire.map(({ hold }) => ended.has(hold));
}

function holdId(ctx: Ctx, slot: number): string {
  return `${ctx.orgId}-h${slot}`;
}

const mode = fc.constantFrom(...MODES);
const slot = fc.nat({ max: SLOTS - 1 });
const charge = fc.integer({ min: 1, max: 2000 });
const wish = fc.record({ mode, slot, amount: fc.nat({ max: 2000 }) });
const ending = fc.record({ slot, amount: fc.nat({ max: 2000 }) });
const posting = fc.record({ slot, amount: charge });
// A group as large as the stores gather it. Its first item comes twice, as two askers of one job would send it.
const GROUP = { minLength: 1, maxLength: 49, size: 'max', selector: (end: End) => end.slot } as const;
const twice = <T>(items: T[]): T[] => [...items, items[0]!];

const holdGroup = fc.uniqueArray(wish, GROUP).map((wishes) => new HoldGroup(twice(wishes)));
const endsGroup = fc.uniqueArray(ending, GROUP).map((ends) => new EndGroup(twice(ends)));

/** Every kind of command; the groups twice, since they are the way of all lines. */
export const LEDGER_COMMANDS: fc.Arbitrary<LedgerCommand>[] = [
  fc.tuple(mode, slot, fc.integer({ min: 1, max: 20_000 })).map((args) => new Grant(...args)),
  fc.tuple(mode, slot, fc.integer({ min: -6000, max: 3000 })).map((args) => new Adjust(...args)),
  wish.map((each) => new Hold(each)),
  posting.map((each) => new Post(each)),
  slot.map((each) => new Void(each)),
  posting.map((each) => new PostAboveTheHold(each)),
  ending.map((each) => new EndTwice(each)),
  charge.map((amount) => new EndUnknown(amount)),
  holdGroup,
  holdGroup,
  endsGroup,
  endsGroup,
];

import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Ctx, Mode } from '@quarry/app';
import { violatedConstraint, type Database } from '@quarry/postgres';
import { accountId, type CreditLedger, type HoldOutcome } from '../credit-ledger.js';
import type { NewCaps, SpendLimitStore } from '../spend-limits.js';
import type { SpecClock } from './spec-clock.js';
import { type End, type LedgerModel, type Wish } from './ledger.model.js';

/** One organisation in the database, with counters of the ledger's decisions. */
export interface RealLedger {
  database: Database;
  ledger: CreditLedger;
  limits: SpendLimitStore;
  clock: SpecClock;
  ctx: Ctx;
  tally: LedgerTally;
}

/** Number of decided steps, and of holds refused by the balance and by a cap. */
export interface LedgerTally {
  steps: number;
  insufficient: number;
  capped: number;
}

/** Small enough that most commands reuse the id of an earlier one. */
const SLOTS = 250;
const MODES = ['live', 'test'] as const;
const KEYS = ['key_a', 'key_b'] as const;

/**
 * A command for both the ledger and the model. Each grant, hold or resolution that the ledger decides is one step. Its
 * result, and both balances after each command, must match the model.
 */
abstract class LedgerCommand implements fc.AsyncCommand<LedgerModel, RealLedger> {
  check(_model: Readonly<LedgerModel>): boolean {
    return true;
  }

  /** @returns the results of the model and of the ledger, one per step */
  protected abstract perform(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]>;

  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    const [expected, seen] = await this.perform(model, real);
    expect(seen).toEqual(expected);
    const balances = MODES.map((mode) => real.ledger.readBalance({ ...real.ctx, mode }));
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
    readonly mode: Mode,
    readonly slot: number,
    readonly amount: number,
  ) {
    super();
  }

  protected async perform(model: LedgerModel, { ledger, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const { mode, slot, amount, kind } = this;
    const grant = { id: `${ctx.orgId}-g${slot}`, amount, mode, kind, reason: 'model' };
    const seen = await ledger.grantCredits(ctx, grant).catch((error: unknown) => {
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

  protected async perform(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    const { mode, key, slot, amount } = this.wish;
    const { ledger, ctx } = real;
    const seen = await ledger.holdCredits({ ...ctx, mode, keyId: key }, { id: holdId(ctx, slot), amount });
    return [counted(real, [model.hold(this.wish)]), [seen.kind]];
  }
}

/** Checks whether a hold would succeed, without placing it. */
class LookAhead extends LedgerCommand {
  constructor(readonly wish: Wish) {
    super();
  }

  protected async perform(model: LedgerModel, { ledger, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const { mode, key, amount } = this.wish;
    const seen = await ledger.readOutlook({ ...ctx, mode, keyId: key }, amount);
    return [[model.outlook(this.wish)], [seen.kind]];
  }
}

/** Sets or removes caps of a key or of the organisation. */
class SetCaps extends LedgerCommand {
  constructor(
    readonly mode: Mode,
    readonly holder: string | null,
    readonly caps: NewCaps,
  ) {
    super();
  }

  protected async perform(model: LedgerModel, { limits, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const { mode, holder, caps } = this;
    model.setCaps(mode, holder, caps);
    await limits.setLimit({ ...ctx, mode }, holder, caps);
    return [[model.limits(mode, holder)], [await limits.readLimit({ ...ctx, mode }, holder)]];
  }
}

class ReadLimits extends LedgerCommand {
  constructor(
    readonly mode: Mode,
    readonly holder: string | null,
  ) {
    super();
  }

  protected async perform(model: LedgerModel, { limits, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const { mode, holder } = this;
    return [[model.limits(mode, holder)], [await limits.readLimit({ ...ctx, mode }, holder)]];
  }
}

/** Advances time by days: earlier usage then counts at most towards the month. */
class LetDaysGoBy extends LedgerCommand {
  constructor(readonly days: number) {
    super();
  }

  protected async perform(
    model: LedgerModel,
    { clock, limits, ctx }: RealLedger,
  ): Promise<[unknown[], unknown[]]> {
    model.letDaysGoBy(this.days);
    await clock.set(ctx, model.now);
    return [[model.limits('live', null)], [await limits.readLimit(ctx, null)]];
  }
}

class Post extends LedgerCommand {
  constructor(readonly ending: End) {
    super();
  }

  protected async perform(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    return [[model.end(this.ending)], [await post(real, this.ending)]];
  }
}

class Void extends LedgerCommand {
  constructor(readonly slot: number) {
    super();
  }

  protected async perform(model: LedgerModel, { ledger, ctx }: RealLedger): Promise<[unknown[], unknown[]]> {
    const seen = await ledger.voidHold(ctx, holdId(ctx, this.slot));
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

  protected async perform(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    const { slot, amount } = this.ending;
    const above = model.held(slot)! + amount;
    return [[false], [await post(real, { slot, amount: above })]];
  }
}

/** Posts a hold, posts it again, which changes nothing, and then voids it, which is too late. */
class EndTwice extends LedgerCommand {
  constructor(readonly ending: End) {
    super();
  }

  protected async perform(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
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

  protected async perform(_model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    return [[false], [await post(real, { slot: SLOTS, amount: this.amount })]];
  }
}

/** Places several holds in one call, like a group of claims. Each is decided on what the earlier ones leave. */
class HoldGroup extends LedgerCommand {
  constructor(readonly wishes: Wish[]) {
    super();
  }

  protected async perform(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    const { database, ctx } = real;
    const entries = this.wishes.map(({ mode, key, slot, amount }) => ({
      hold: holdId(ctx, slot),
      account: accountId(ctx.orgId, mode),
      amount,
      key_id: key,
    }));
    const rows = await database.query<{ hold: string; outcome: HoldOutcome['kind'] }>(
      ctx,
      'SELECT hold, outcome FROM credits.judge_holds($1::jsonb)',
      [JSON.stringify(entries)],
    );
    const outcomes = new Map(rows.map(({ hold, outcome }) => [hold, outcome]));
    const modelled = this.wishes.map((each) => model.hold(each));
    // A hold requested twice has one result. The remaining credits only decrease, so the result of the first request counts.
    const expected = this.wishes.map(
      (each) => modelled[this.wishes.findIndex(({ slot }) => slot === each.slot)]!,
    );
    return [counted(real, expected), entries.map(({ hold }) => outcomes.get(hold) ?? 'insufficient')];
  }
}

/** Ends in one call, as a group of settlements writes them. */
class EndGroup extends LedgerCommand {
  constructor(readonly ends: End[]) {
    super();
  }

  protected async perform(model: LedgerModel, real: RealLedger): Promise<[unknown[], unknown[]]> {
    return [this.ends.map((end) => model.end(end)), await endGroup(real, this.ends)];
  }
}

function counted({ tally }: RealLedger, outcomes: Array<HoldOutcome['kind']>): unknown[] {
  for (const outcome of outcomes) if (outcome !== 'held') tally[outcome] += 1;
  return outcomes;
}

async function post({ ledger, ctx }: RealLedger, { slot, amount }: End): Promise<boolean> {
  return (await ledger.postHold(ctx, holdId(ctx, slot), amount)).kind === 'resolved';
}

async function endGroup({ database, ctx }: RealLedger, ends: End[]): Promise<boolean[]> {
  const entries = ends.map(({ slot, amount }, i) => ({
    id: `${ctx.orgId}-e${slot}-${amount}-${i}`,
    hold: holdId(ctx, slot),
    amount,
  }));
  const rows = await database.query<{ hold: string }>(
    ctx,
    'SELECT credits.resolve_holds($1::jsonb) AS hold',
    [JSON.stringify(entries)],
  );
  const ended = new Set(rows.map((row) => row.hold));
  return entries.map(({ hold }) => ended.has(hold));
}

function holdId(ctx: Ctx, slot: number): string {
  return `${ctx.orgId}-h${slot}`;
}

const mode = fc.constantFrom(...MODES);
const slot = fc.nat({ max: SLOTS - 1 });
const charge = fc.integer({ min: 1, max: 2000 });
const key = fc.constantFrom(null, ...KEYS);
const wish = fc.record({ mode, key, slot, amount: fc.nat({ max: 2000 }) });
// A month of walks has several days, and caps are low enough to be met within one group and high enough to leave room.
const cap = (max: number) => fc.option(fc.nat({ max }), { freq: 2 });
const caps = fc.record({ day: cap(30_000), month: cap(90_000) }, { requiredKeys: [] });
const ending = fc.record({ slot, amount: fc.nat({ max: 2000 }) });
const posting = fc.record({ slot, amount: charge });
// A group as large as the stores gather it. Its first item comes twice, as two callers of one job would send it.
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
  wish.map((each) => new LookAhead(each)),
  fc.tuple(mode, key, caps).map((args) => new SetCaps(...args)),
  fc.tuple(mode, key).map((args) => new ReadLimits(...args)),
  fc.integer({ min: 1, max: 12 }).map((days) => new LetDaysGoBy(days)),
  holdGroup,
  holdGroup,
  endsGroup,
  endsGroup,
];

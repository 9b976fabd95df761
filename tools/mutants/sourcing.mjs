// Looking for rows on the web: what is believed of a candidate, and what the steps of a run cost.
import { mutant } from './mutant.mjs';

const FINDING = 'libs/prompts/language-models/src/sourcing/candidate-finding.ts';
const JUDGING = 'libs/prompts/language-models/src/sourcing/candidate-judging.ts';
const MACHINE = 'libs/prompts/language-models/src/sourcing/model-sourcing.ts';
const SPEC = 'libs/prompts/language-models/src/sourcing/model-sourcing.spec.ts';
const ACCOUNT = 'libs/domains/runs/src/sourcing/sourcing-account.ts';
const LEASES = 'libs/domains/runs/src/agent/run-lease.store.ts';
const MONEY = 'libs/domains/runs/src/sourcing/sourcing-account.db.spec.ts';

export const SOURCING_MUTANTS = [
  mutant('sourcing: a candidate is named by a page', SPEC, 'takes no candidate that', [
    FINDING,
    "if (verdict.kind === 'refused') return REFUSALS[verdict.refusal];",
    "if (verdict.kind === 'refused') return null as never;",
  ]),
  mutant('sourcing: its address was given', SPEC, 'takes no candidate that', [
    FINDING,
    'return isNamed ? `${origin}/` : null;',
    'return `${origin}/`;',
  ]),
  mutant('sourcing: a verdict has a quote', SPEC, 'judges each candidate by quotes', [
    JUDGING,
    "if (proof.kind === 'refused') {",
    "if (proof.kind === 'refused' && holds === null) {",
  ]),
  mutant('sourcing: excluded candidates', SPEC, 'sources nobody whom an exclusion list names', [
    MACHINE,
    'this.unchecked.filter((_, i) => !isBarred.has(i))',
    'this.unchecked',
  ]),
  mutant('sourcing: no more than are wanted', SPEC, 'judges no further candidate', [
    MACHINE,
    'if (!isOut) this.fitting += 1;',
    'if (isOut) this.fitting += 1;',
  ]),
  mutant('sourcing money: nothing without a page', MONEY, 'charges nothing where', [
    ACCOUNT,
    'return pages > 0 ? Number(used) : 0;',
    'return pages >= 0 ? Number(used) : 0;',
  ]),
  mutant('sourcing money: a failed run', MONEY, 'charges nothing where', [
    ACCOUNT,
    'isCharged ? costOf(use) : 0',
    'costOf(use)',
  ]),
  mutant('sourcing leases: the third loss leaves the credits to the next', MONEY, 'ends by who takes it', [
    LEASES,
    "`(queue = 'sourcing-runs'",
    "`(queue = ''",
  ]),
];

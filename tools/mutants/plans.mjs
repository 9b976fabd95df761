// What a planner wrote is judged before it is performed, and a stored plan goes on as it was.
import { mutant } from './mutant.mjs';

const PLANS = 'libs/domains/runs/src/agent/prompt-plans.ts';
const SCRIPT_SPEC = 'libs/domains/runs/src/agent/run-script.spec.ts';
const FAULTS = 'libs/contracts/plan/src/intent/intent-faults.ts';
const STORED = 'libs/contracts/plan/src/stored-plans.ts';

export const PLAN_MUTANTS = [
  mutant('plan: an intent with a fault is not performed', SCRIPT_SPEC, 'writes what cannot be meant', [
    PLANS,
    'if (faults.length > 0 || !read.success)',
    'if (!read.success)',
  ]),
  mutant('plan: one intent for each table', SCRIPT_SPEC, 'writes what cannot be meant', [
    PLANS,
    "if (intents.length !== Math.max(1, output.length)) throw new RunFailure('agent_invalid_output');",
    '',
  ]),
  mutant(
    'plan: each fragment stands in the prompt',
    'libs/contracts/plan/src/intent/intent-faults.spec.ts',
    'names the filter',
    [FAULTS, '!prompt.includes(fragment)', 'fragment.length > prompt.length'],
  ),
  mutant(
    'plan: alternatives without evidence do not pass',
    'libs/contracts/plan/src/compile/compile-plan.spec.ts',
    'are what they say',
    [
      'libs/contracts/plan/src/compile/table-predicates.ts',
      "    negate: false,\n    test: { op: 'any', parts }",
      "    negate: true,\n    test: { op: 'every', parts: parts.map((part) => ({ ...part, negate: !part.negate })) }",
    ],
  ),
  mutant(
    'plan: the row cap of an older plan',
    'libs/contracts/plan/src/stored-plans.spec.ts',
    'of version 1',
    [STORED, 'limitOf(count, wanted?.maxRows ?? null, columns)', 'limitOf(count, null, columns)'],
  ),
];

// Go: leases, journal and charges of its runs, their tenants, and the proof of what they publish.
import { mutant } from './mutant.mjs';

const LEASES = 'libs/domains/go/src/go-lease.store.ts';
const JOURNAL = 'libs/domains/go/src/go-journal.ts';
const AGENT = 'libs/domains/go/src/go-agent.ts';
const STORE = 'libs/domains/go/src/go-run.store.ts';
const SPEC = 'libs/domains/go/src/go-agent.db.spec.ts';
const PROOF = 'libs/prompts/language-models/src/research/proof/prove-claim.ts';
const VALUES = 'libs/prompts/language-models/src/research/proof/supported-value.ts';
const TOKENS = 'libs/prompts/language-models/src/research/proof/page-tokens.ts';
const PROOFS = 'libs/prompts/language-models/src/research/proof/prove-claim.spec.ts';
const LOOP = 'libs/prompts/language-models/src/research/research-conversation.ts';
const BUDGET = 'libs/domains/research/src/research-budget.ts';
const LOOPS = 'libs/prompts/language-models/src/research/model-research.spec.ts';
const RENDERED = 'libs/sources/web/src/pages/pages.spec.ts';
const FALSE_CLAIMS = 'publishes none of';

export const GO_MUTANTS = [
  mutant('go claim: only a run that nobody has', SPEC, 'costs nothing when', [
    LEASES,
    'WHERE id = $1 AND ended_at IS NULL AND lease_token IS NULL\n',
    'WHERE id = $1 AND ended_at IS NULL\n',
  ]),
  mutant('go step: the lease token', SPEC, 'is not paid twice', [
    JOURNAL,
    's.finished_at IS NULL AND r.id = s.run_id AND r.lease_token = $2',
    'r.id = s.run_id AND $2::text IS NOT NULL',
  ]),
  mutant('go step: begun under the lease token', SPEC, 'that another process has taken over', [
    JOURNAL,
    "WHERE r.id = $1 AND r.lease_token = $2 AND r.status = 'running' RETURNING 1`,\n);\n\nconst FINISH",
    "WHERE r.id = $1 AND $2::text IS NOT NULL AND r.status = 'running' RETURNING 1`,\n);\n\nconst FINISH",
  ]),
  mutant('go renewal: the lease token', SPEC, 'that another process has taken over', [
    LEASES,
    "WHERE id = $1 AND lease_token = $2 AND status = 'running' RETURNING 1`,\n);\n\nconst RELEASE",
    "WHERE id = $1 AND $2::text IS NOT NULL AND status = 'running' RETURNING 1`,\n);\n\nconst RELEASE",
  ]),
  mutant('go end: the lease token', SPEC, 'that another process has taken over', [
    LEASES,
    "WHERE id = $1 AND lease_token = $2 AND status = 'running' RETURNING 1`,\n);\n\nconst REAP_LOST",
    "WHERE id = $1 AND $2::text IS NOT NULL AND status = 'running' RETURNING 1`,\n);\n\nconst REAP_LOST",
  ]),
  mutant('go end: no end whose charge is refused', SPEC, 'ends no run as charged', [
    AGENT,
    "if (kind === 'refused') throw",
    "if (kind !== 'refused' && kind !== 'resolved') throw",
  ]),
  mutant('tenant of a Go run that is read', SPEC, 'a Go run to another', [
    STORE,
    "FROM go.runs r WHERE ${ofTenant('r')} AND r.id = $2`",
    'FROM go.runs r WHERE $1::text[] IS NOT NULL AND r.id = $2`',
  ]),
  mutant('tenant of a list of Go runs', SPEC, 'a Go run to another', [
    STORE,
    "FROM go.runs r WHERE ${ofTenant('r')} AND ($2::text IS NULL",
    'FROM go.runs r WHERE $1::text[] IS NOT NULL AND ($2::text IS NULL',
  ]),
  mutant('robots: where a rendered page has led', RENDERED, 'where the scripts of a page have led', [
    'libs/sources/web/src/pages/page-reader.ts',
    'if (run.url !== plain.url) await',
    'if (run.url === plain.url) await',
  ]),
  mutant('go journal: a finished step is not done again', SPEC, 'on from the same step', [
    AGENT,
    'research.apply(step, await this.restored(run, done.result));',
    '',
  ]),
  mutant('go budget: before each step', SPEC, 'ends with its budget', [
    BUDGET,
    "return left < 0 ? 'spent' : 'paid';",
    "return 'paid';",
  ]),
  mutant('go budget: a page leaves enough for an answer', SPEC, 'ends with its budget', [
    BUDGET,
    'return left < STEP_PRICES.think ?',
    'return left < 0 ?',
  ]),
  mutant('go losses: the third one ends the run', SPEC, 'costs nothing when', [
    AGENT,
    'if (run.losses >= LOSSES_MAX)',
    'if (run.losses > LOSSES_MAX)',
  ]),
  mutant('go cancel: a queued run frees its credits', SPEC, 'ends with its budget', [
    STORE,
    'await this.ledger.voidHold(tx, asked.hold_id);',
    '',
  ]),
  mutant('go proof: twelve characters', PROOFS, FALSE_CLAIMS, [
    PROOF,
    'const QUOTE_CHARACTERS_MIN = 12;',
    'const QUOTE_CHARACTERS_MIN = 1;',
  ]),
  mutant('go proof: a label says nothing', PROOFS, FALSE_CLAIMS, [
    PROOF,
    'const spoken = text.isStated(from) ? withoutLabel(text, range) : range;',
    'const spoken = range;',
  ]),
  mutant('go proof: no number that the quote cuts', PROOFS, FALSE_CLAIMS, [
    VALUES,
    'from >= quoted.from && to <= quoted.to;',
    'from < quoted.to && to > quoted.from;',
  ]),
  mutant('go proof: the word of size counts', PROOFS, FALSE_CLAIMS, [
    TOKENS,
    'const scaled = round(value * (scale ? SCALES[scale[1]!]! : 1));',
    'const scaled = round(value);',
  ]),
  mutant('go proof: whole words', PROOFS, FALSE_CLAIMS, [
    VALUES,
    'if (isEdge(text, at, -1) && isEdge(text, end - 1, 1)) return true;',
    'return true;',
  ]),
  mutant('go loop: only addresses that were given', LOOPS, 'reads nothing when', [
    LOOP,
    'if (!this.given.has(url))',
    'if (!this.given.has(url) && url === "")',
  ]),
  mutant('go loop: three faults in a row', LOOPS, 'ends after three faults', [
    LOOP,
    'if (this.faultsInRow >= FAULTS_MAX) this.isDone = true;',
    '',
  ]),
];

// What keeps a process from starting with calls that nobody answers, or two.
import { mutant } from './mutant.mjs';

const SPEC = 'libs/kernel/platform/src/rpc/declared-calls.spec.ts';
const SERVER = 'libs/kernel/platform/src/rpc/declared-calls.server.ts';
const STARTS = 'does not start while';

export const CALL_MUTANTS = [
  mutant('calls: one handler each', SPEC, STARTS, [
    SERVER,
    'if (this.messageHandlers.has(pattern)) throw',
    'if (false) throw',
  ]),
  mutant('calls: none is forgotten', SPEC, STARTS, [
    SERVER,
    'if (this.messageHandlers.has(pattern)) continue;',
    'continue;',
  ]),
  mutant('calls: none that is not declared', SPEC, STARTS, [
    SERVER,
    'if (!this.patterns.has(pattern))',
    'if (false)',
  ]),
  mutant('calls: an error passes as it was thrown', SPEC, 'refuses and fails', [
    'libs/kernel/platform/src/rpc/answers.decorator.ts',
    '    UseFilters(PASS_ON)(target, key, descriptor);\n',
    '',
  ]),
];

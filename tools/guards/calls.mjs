// What keeps a process from starting with calls that nobody answers, or two.
import { guard } from './guard.mjs';

const SPEC = 'libs/platform/src/rpc/declared-calls.spec.ts';
const SERVER = 'libs/platform/src/rpc/declared-calls.server.ts';
const STARTS = 'does not start while';

export const CALL_GUARDS = [
  guard('calls: one handler each', SPEC, STARTS, [
    SERVER,
    'if (this.messageHandlers.has(pattern)) throw',
    'if (false) throw',
  ]),
  guard('calls: none is forgotten', SPEC, STARTS, [
    SERVER,
    'if (this.messageHandlers.has(pattern)) continue;',
    'continue;',
  ]),
  guard('calls: none that is not declared', SPEC, STARTS, [
    SERVER,
    'if (!this.patterns.has(pattern))',
    'if (false)',
  ]),
  guard('calls: an error passes as it was thrown', SPEC, 'refuses and fails', [
    'libs/platform/src/rpc/answers.decorator.ts',
    '    UseFilters(PASS_ON)(target, key, descriptor);\n',
    '',
  ]),
];

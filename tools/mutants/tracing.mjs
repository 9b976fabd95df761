// What a trace may say and who decides about it, and what a log may not show.
import { mutant } from './mutant.mjs';

const TRACING = 'libs/kernel/tracing/src/tracing.ts';
const TRACING_SPEC = 'libs/kernel/tracing/src/tracing.spec.ts';
const LOGGER = 'libs/kernel/platform/src/telemetry/logger.ts';

export const TRACING_MUTANTS = [
  mutant('tracing: a request does not decide that it is recorded', TRACING_SPEC, 'cannot be forced', [
    TRACING,
    'if (source === null || !source.decide()) return null;',
    'if (source === null) return null;',
  ]),
  mutant('tracing: what was not recorded is not gone on with', TRACING_SPEC, 'keeps nothing of what', [
    TRACING,
    'if (!parent?.traceFlags) return work(NO_NOTES);',
    'if (!parent) return work(NO_NOTES);',
  ]),
  mutant('tracing: a failure is told by its code', TRACING_SPEC, 'repeats no message', [
    TRACING,
    "const type = typeof code === 'string' ? code :",
    "const type = typeof code === 'string' ? (error as Error).message :",
  ]),
  mutant('tracing: work after the end of its request has no span', TRACING_SPEC, 'goes on after its end', [
    TRACING,
    'if (!parent?.isRecording()) return work(NO_NOTES);',
    'if (!parent) return work(NO_NOTES);',
  ]),
  mutant(
    'log: secrets are cut out at every depth',
    'libs/kernel/platform/src/telemetry/logger.spec.ts',
    'at whatever depth',
    [
      LOGGER,
      'CUT_OUT.has(name.toLowerCase()) ? CENSOR : withoutSecrets(each, depth + 1),',
      'CUT_OUT.has(name.toLowerCase()) ? CENSOR : each,',
    ],
  ),
];

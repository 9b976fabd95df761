import { RepeatedFaults, type Logger, type RefusalStage } from '@quarry/app';

/** A connection that was refused. */
export interface RefusedCaller {
  stage: RefusalStage;
  /** A sentence. */
  why: string;
  /** Address that it came from. */
  address: string;
}

/**
 * Counts every refused caller, and logs one for each address in a minute: who knocks without end must not fill the log.
 * @param count is given the stage of each refusal
 */
export function reportRefusedCallers(
  logger: Pick<Logger, 'warn'>,
  count: (stage: RefusalStage) => void,
  repeated = new RepeatedFaults(),
): (caller: RefusedCaller) => void {
  return ({ stage, why, address }) => {
    count(stage);
    const { isDue, unsaid } = repeated.admitMessage(address);
    if (isDue)
      logger.warn({ why, address, ...(unsaid > 0 ? { leftOut: unsaid } : {}) }, 'a caller was refused');
  };
}

import { RepeatedFaults, type Logger, type TrafficMetrics } from '@quarry/app';

type RefusalStage = Parameters<TrafficMetrics['countRefusal']>[0];

/** A connection that was refused. */
export interface RefusedCaller {
  stage: RefusalStage;
  /** Reason, as a sentence. */
  why: string;
  /** Address of the caller. */
  address: string;
}

/**
 * Counts every refused caller, and logs one per address and minute, so that repeated attempts do not fill the log.
 * @param count receives the stage of each refusal
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

import { DigitsInt } from '@quarry/dto';

/** The most seconds that a read is held. Source: public contract, Other limits. */
const WAIT_SECONDS_MAX = 60;

/** Query of a read that is held until a batch, a run or an enrichment has ended. */
export class HeldReadQuery {
  @DigitsInt(0, WAIT_SECONDS_MAX) wait_seconds: number = 0;
}

import { DigitsInt } from '@quarry/dto';

/** Longest that a batch read is held, in seconds. Source: public contract, Other limits. */
const WAIT_SECONDS_MAX = 60;

/** Query of GET /v1/services/jobs/batch/{id}. */
export class BatchReadQuery {
  @DigitsInt(0, WAIT_SECONDS_MAX) wait_seconds: number = 0;
}

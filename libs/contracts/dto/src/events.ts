import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsString, Matches } from 'class-validator';
import { Optional } from './optional.js';
import { DigitsInt, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './pages.js';
import { EVENT_TYPES } from './resources/events.resources.js';

/** Query of the events of one subject. */
export class EventQuery {
  /** Last event that the caller has; later ones are returned. */
  @Optional()
  @IsString()
  @Matches(/^evt_[0-9a-z]{26}$/, { message: '$property must be the id of an event' })
  after?: string;
  @DigitsInt(1, PAGE_LIMIT_MAX) limit: number = PAGE_LIMIT_DEFAULT;
  /** Seconds that the response is held while there is nothing new. */
  @DigitsInt(0, 60) wait_seconds: number = 0;
}

/** Query of GET /v1/events. */
export class EventFeedQuery extends EventQuery {
  /** Separated by commas. */
  @Optional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @IsArray()
  @ArrayMaxSize(EVENT_TYPES.length)
  @IsIn(EVENT_TYPES, { each: true, message: `each of $property must be one of ${EVENT_TYPES.join(', ')}` })
  types?: string[];
}

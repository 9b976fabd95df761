import { IsBoolean, IsString, Matches } from 'class-validator';
import { Optional } from './optional.js';

/** What a header can carry. */
const KEY = /^[\x21-\x7e]{8,1000}$/;

/** Body of PUT /v1/providers/{id}. What is left out stays as it is. */
export class ProviderChangeRequest {
  @Optional()
  @IsString()
  @Matches(KEY, { message: 'key must be 8 to 1000 visible ASCII characters' })
  key?: string;

  @Optional() @IsBoolean() enabled?: boolean;
}

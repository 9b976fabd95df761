import { IsBoolean, IsString, Matches } from 'class-validator';
import { Optional } from './optional.js';

/** Pattern of keys that can be sent in a header. */
const KEY = /^[\x21-\x7e]{8,1000}$/;

/** Body of PUT /v1/providers/{id}. Omitted fields stay unchanged. */
export class ProviderChangeRequest {
  @Optional()
  @IsString()
  @Matches(KEY, { message: 'key must be 8 to 1000 visible ASCII characters' })
  key?: string;

  @Optional() @IsBoolean() enabled?: boolean;
}

import { IsNotEmpty, IsString, MaxLength } from 'class-validator';

/** Body of the removed POST /v1/services/jobs: all that is still read of it. */
export class SingleJobRequest {
  @IsString() @IsNotEmpty() @MaxLength(200) service!: string;
}

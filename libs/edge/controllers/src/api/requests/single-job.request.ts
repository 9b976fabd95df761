import { IsNotEmpty, IsString, MaxLength } from 'class-validator';

/** Body of the removed POST /v1/services/jobs, reduced to the field that is still read. */
export class SingleJobRequest {
  @IsString() @IsNotEmpty() @MaxLength(200) service!: string;
}

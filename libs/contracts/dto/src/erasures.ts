import 'reflect-metadata';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { Optional } from './optional.js';

/** Body of POST /v1/erasures: an e-mail address, or a LinkedIn URL, or a name and a company. */
export class ErasureRequest {
  @Optional() @IsString() @IsNotEmpty() @MaxLength(500) email?: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(2000) linkedin_url?: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(500) name?: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(500) company?: string;
}

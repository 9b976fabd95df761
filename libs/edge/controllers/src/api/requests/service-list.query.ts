import { Optional, OffsetPageQuery } from '@quarry/dto';
import { IsIn, IsNotEmpty, IsString, MaxLength } from 'class-validator';

/** Query of GET /services. */
export class ServiceListQuery extends OffsetPageQuery {
  /** Words to look for in the catalogue. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(200) q?: string;
  @Optional() @IsIn(['fast', 'slow']) mode?: 'fast' | 'slow';
}

import { OffsetPageQuery } from '@quarry/dto';
import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';

/** Query of GET /services. */
export class ServiceListQuery extends OffsetPageQuery {
  /** Words to look for in the catalogue. */
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(200) q?: string;
  @IsOptional() @IsIn(['fast', 'slow']) mode?: 'fast' | 'slow';
}

import { EnvVar } from '@quarry/platform';
import { IsNotEmpty, IsOptional, IsString, Matches } from 'class-validator';

/** Environment of the admin command: where the data is. */
export class AdminEnv {
  @EnvVar({ description: 'Folder of the embedded PostgreSQL.', default: '.data' })
  @IsString()
  @IsNotEmpty()
  DATA_DIR: string = '.data';

  @EnvVar({ description: 'PostgreSQL to use instead of the embedded one, postgres://…', secret: true })
  @IsOptional()
  @Matches(/^postgres(ql)?:\/\/\S+$/, { message: 'DATABASE_URL must be a postgres:// address' })
  DATABASE_URL?: string;
}

import { EnvVar, IsServerUrl } from '@quarry/app';
import { IsNotEmpty, IsOptional, IsString } from 'class-validator';

/** Environment of the admin command: the location of the data. */
export class AdminEnv {
  @EnvVar({ group: 'addresses', description: 'Folder of the embedded PostgreSQL.' })
  @IsString()
  @IsNotEmpty()
  DATA_DIR: string = '.data';

  @EnvVar({
    group: 'storage',
    description: 'PostgreSQL to use instead of the embedded one, postgres://…',
    secret: true,
  })
  @IsOptional()
  @IsServerUrl('postgres', 'postgresql')
  DATABASE_URL?: string;

  @EnvVar({
    group: 'storage',
    description: 'Queues, whose schema is migrated as well; the database when not set.',
    secret: true,
  })
  @IsOptional()
  @IsServerUrl('redis', 'rediss', 'postgres', 'postgresql')
  QUEUE_URL?: string;
}

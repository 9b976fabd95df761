import { Module, type DynamicModule } from '@nestjs/common';
import { RunReaderModule, type ServiceHost } from '@quarry/composition';
import { TablesModule } from '@quarry/tables';
import type { TablesEnv } from './tables.env.js';

/** The tables service. */
@Module({})
export class AppModule {
  static forRoot(env: TablesEnv, host: ServiceHost): DynamicModule {
    const appUrl = env.APP_URL.replace(/\/+$/, '');
    return {
      module: AppModule,
      imports: [...host.modules(), RunReaderModule, TablesModule.forRoot({ appUrl })],
    };
  }
}

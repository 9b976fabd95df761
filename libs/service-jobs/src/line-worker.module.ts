import { Module, type DynamicModule } from '@nestjs/common';
import { LINE_WORKER_SETTINGS, LineConsumer, type LineWorkerSettings } from './line-consumer.js';
import { ServiceJobsModule } from './service-jobs.module.js';

/** Works on lines: consumes the queues that the settings name. */
@Module({})
export class LineWorkerModule {
  static forRoot(settings: LineWorkerSettings): DynamicModule {
    return {
      module: LineWorkerModule,
      imports: [ServiceJobsModule],
      providers: [LineConsumer, { provide: LINE_WORKER_SETTINGS, useValue: settings }],
    };
  }
}
